import { DomainError } from './domain-error';

/** Thrown when a body is over its limit. */
export class PayloadTooLargeError extends DomainError {
  readonly code = 'PAYLOAD_TOO_LARGE';

  constructor(limitBytes: number) {
    super(`The body is larger than ${limitBytes} bytes.`, { limitBytes });
  }
}
