import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';

/**
 * A file or pipe for log lines. What cannot be written, on a full disk for example, is lost: no app dies of its log.
 * That lines are lost is said once on the error output, and again with their number when writing works again.
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
    // What was written of a lost line has no end.
    this.out.write(this.lost > 0 ? `\n${line}` : line);
    if (this.failed) {
      this.lost += 1;
    } else if (this.lost > 0) {
      this.tell(`The log is written again; ${this.lost} lines were lost.`);
      this.lost = 0;
    }
  }

  /** Synchronous: errors come while a line is written, and no line is left to be flushed when the process exits. */
  private open(): DestinationStream {
    const out = pino.destination({ dest: this.fd, sync: true });
    out.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return; // pino itself goes on in silence, for good
      if (this.lost === 0) this.tell(`The log cannot be written, its lines are lost: ${error.message}`);
      this.failed = true;
      // This one would keep all lines from now on, for the day that they can be written.
      this.out = this.open();
    });
    return out;
  }
}

function tellOnErrorOutput(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // The error output is on the same full disk: there is nobody left to tell.
  }
}
