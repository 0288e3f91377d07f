import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

const MOST_CHARACTERS = 65_536;

/** What a host prints during a call. All of it is read, so that the host does not wait, and the beginning is kept. */
export class HostOutput {
  text = '';

  read({ stdout, stderr }: ChildProcess): void {
    for (const stream of [stdout, stderr]) {
      const decoder = new StringDecoder();
      stream?.on('data', (piece: Buffer) => {
        if (this.text.length < MOST_CHARACTERS)
          this.text = (this.text + decoder.write(piece)).slice(0, MOST_CHARACTERS);
      });
    }
  }

  begin(): void {
    this.text = '';
  }
}
