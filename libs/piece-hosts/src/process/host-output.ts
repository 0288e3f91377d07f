import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

const MOST_CHARACTERS = 65_536;
/** How much a host may print between its calls. What it prints then is in no log. */
const MOST_IDLE_BYTES = 65_536;

/** What a host prints during a call. All of it is read, so that the host does not wait, and the beginning is kept. */
export class HostOutput {
  text = '';
  private isDuringCall = false;
  private idleBytes = 0;

  constructor({ stdout, stderr }: ChildProcess, tooMuch: () => void) {
    for (const stream of [stdout, stderr]) {
      const decoder = new StringDecoder();
      stream?.on('data', (piece: Buffer) => {
        if (!this.isDuringCall && (this.idleBytes += piece.length) > MOST_IDLE_BYTES) tooMuch();
        if (this.text.length < MOST_CHARACTERS)
          this.text = (this.text + decoder.write(piece)).slice(0, MOST_CHARACTERS);
      });
    }
  }

  begin(): void {
    this.text = '';
    this.isDuringCall = true;
  }

  /** Returns what was printed during the call. */
  end(): string {
    this.isDuringCall = false;
    return this.text;
  }
}
