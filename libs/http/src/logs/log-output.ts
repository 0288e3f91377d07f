import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';

/**
 * A file or pipe for log lines. A line that cannot be written, for example on a full disk, is lost and does not end the
 * app. The error output gets one line when the first line is lost, and one with the number of lost lines when writing
 * works again.
 */
export class LogOutput implements DestinationStream {
  private out: DestinationStream;
  private failed = false;
  private lost = 0;

  constructor(
    private readonly fd = 1,
    private readonly tell: (text: string) => void = tellOnErrorOutput,
  ) {
    this.out = this.open();
  }

  write(line: string): void {
    this.failed = false;
    // A lost line may have been written in part, without its line end.
    this.out.write(this.lost > 0 ? `\n${line}` : line);
    if (this.failed) {
      this.lost += 1;
    } else if (this.lost > 0) {
      this.tell(`The log is written again; ${this.lost} lines were lost.`);
      this.lost = 0;
    }
  }

  /** Writes are synchronous: errors appear while a line is written, and no line is left to flush at the exit. */
  private open(): DestinationStream {
    const out = pino.destination({ dest: this.fd, sync: true });
    out.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return; // pino drops all further lines itself
      if (this.lost === 0) this.tell(`The log cannot be written, its lines are lost: ${error.message}`);
      this.failed = true;
      // After an error this destination would keep all further lines in memory, so a new one takes its place.
      this.out = this.open();
    });
    return out;
  }
}

function tellOnErrorOutput(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // The error output may be on the same full disk. The message is lost then.
  }
}
