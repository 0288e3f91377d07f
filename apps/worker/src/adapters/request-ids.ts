import { createHmac } from 'node:crypto';

/** An id has 128 bits, so it cannot be guessed: the id alone gives the right to answer the request. */
const ID_BYTES = 16;

/**
 * Makes request ids. The id of a step key and number is the same in every process, and cannot be guessed without the key
 * of the installation.
 */
export class RequestIds {
  constructor(private readonly key: Buffer) {}

  readonly of = (stepKey: string, number: number): string =>
    createHmac('sha256', this.key).update(`${stepKey}#${number}`).digest().subarray(0, ID_BYTES).toString('base64url');
}
