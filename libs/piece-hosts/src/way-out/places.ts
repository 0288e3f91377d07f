/** How long somebody waits for a place. */
const WAIT_MS = 30_000;

interface Waiting {
  readonly take: () => void;
  readonly late: NodeJS.Timeout;
}

/** A number of places, each of one user. Who finds none free waits for a while. */
export class Places {
  private taken = 0;
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly most: number,
    private readonly none: () => Error,
  ) {}

  /** Takes a place. Rejects with the error for it when none becomes free. */
  take(): Promise<void> {
    if (this.taken < this.most) {
      this.taken++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(this.none());
      }, WAIT_MS).unref();
      const waiting: Waiting = { take: resolve, late };
      this.waiting.push(waiting);
    });
  }

  /** Gives a place back, to who has waited longest. */
  giveBack(): void {
    const next = this.waiting.shift();
    if (!next) return void this.taken--;
    clearTimeout(next.late);
    next.take();
  }
}
