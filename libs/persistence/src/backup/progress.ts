const EVERY_MS = 5_000;

/** Says every five seconds how far something is, while it lasts. */
export class Progress {
  private done = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(say: (line: string) => void, what: string, total?: number) {
    this.timer = setInterval(() => {
      const count = this.done.toLocaleString('en');
      say(total === undefined ? `… ${what}: ${count}` : `… ${what}: ${count} of ${total.toLocaleString('en')}`);
    }, EVERY_MS);
    this.timer.unref();
  }

  add(amount: number): void {
    this.done += amount;
  }

  end(): void {
    clearInterval(this.timer);
  }
}
