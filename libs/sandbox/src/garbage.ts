import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Garbage of this size is collected at once. */
const MOST_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 1_000;

/**
 * The memory of a dropped interpreter is garbage of the thread. V8 leaves it for as long as the thread has little to
 * do, so it is told to collect: at once when much has gathered, otherwise soon after.
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
