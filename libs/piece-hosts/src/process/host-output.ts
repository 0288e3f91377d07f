import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { bytesOfPiece } from '../way-out/bytes-of-piece';

const MOST_CHARACTERS = 65_536;
/** How much a host may print between its calls. What it prints then is in no log. */
const MOST_IDLE_BYTES = 65_536;
/** How much a host may print during a call, which the worker has to read. */
const MOST_BYTES_OF_CALL = 256 * 1024 * 1024;
const MOST_LAST_CHARACTERS = 500;
/** Node points at the code that threw, and tells the error on the lines behind. */
const POINTED_AT = /^ *\^+\n+(?:Uncaught:?\n)?(.+)/gm;
/** What Node says of a rejection with no error, up to the reason. */
const REASON_OF_REJECTION = /^\[?UnhandledPromiseRejection: [^"]* with the reason ("[^"]*"?).*/;

/**
 * What a host has said last, on one line: the error that nobody caught, or else its last line. The line may be cut at its
 * end. A secret in it is found as long as its first characters are there, so no line is cut at its head.
 */
export function lastWords(output: string): string {
  const text = output.trimEnd();
  const [, uncaught] = [...text.matchAll(POINTED_AT)].at(-1) ?? [];
  const said = uncaught ?? text.slice(text.lastIndexOf('\n') + 1);
  return said.slice(0, MOST_LAST_CHARACTERS).replace(REASON_OF_REJECTION, 'UnhandledPromiseRejection: $1');
}

/** What a host prints during a call. All of it is read, so that the host does not wait, and the beginning is kept. */
export class HostOutput {
  text = '';
  private isDuringCall = false;
  private idleBytes = 0;
  private bytesOfCall = 0;

  constructor({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>, tooMuch: () => void) {
    for (const stream of [stdout, stderr]) {
      const decoder = new StringDecoder();
      stream?.on('data', (piece: Buffer) => {
        if (this.isTooMuch(piece)) tooMuch();
        if (this.text.length < MOST_CHARACTERS)
          this.text = (this.text + decoder.write(piece)).slice(0, MOST_CHARACTERS);
      });
    }
  }

  private isTooMuch(piece: Buffer): boolean {
    return this.isDuringCall
      ? (this.bytesOfCall += bytesOfPiece(piece)) > MOST_BYTES_OF_CALL
      : (this.idleBytes += piece.length) > MOST_IDLE_BYTES;
  }

  begin(): void {
    this.text = '';
    this.bytesOfCall = 0;
    this.isDuringCall = true;
  }

  /** Returns what was printed during the call. */
  end(): string {
    this.isDuringCall = false;
    return this.text;
  }
}
