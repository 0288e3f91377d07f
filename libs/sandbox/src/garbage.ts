import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The collector runs at once when this many bytes have been dropped. */
const MOST_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 1_000;

/**
 * Collects the memory of dropped interpreters. V8 does not collect while a thread has little to do, so this class tells
 * it to: at once when 64 MB have been dropped, otherwise a second after the first drop.
 */
export class Garbage {
  private bytes = 0;
  private due: NodeJS.Timeout | undefined;
  private readonly collectNow = collector();

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes >= MOST_BYTES) this.collect();
    else this.due ??= setTimeout(() => this.collect(), IDLE_MS).unref();
  }

  private collect(): void {
    clearTimeout(this.due);
    this.due = undefined;
    this.bytes = 0;
    this.collectNow();
  }
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
