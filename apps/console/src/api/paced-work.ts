/** How long the work rests, compared with how long it took. */
const REST = 20;

interface Bounds {
  leastMs: number;
  mostMs: number;
}

/**
 * Work that follows signals, however many there are: it begins soon after the first, and rests between two times. What
 * takes long rests long, so that it never keeps the service busy.
 */
export class PacedWork {
  private readyAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isWorking = false;
  private isSignalled = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly bounds: Bounds,
  ) {}

  signal(): void {
    this.isSignalled = true;
    if (this.isWorking || this.timer) return;
    this.timer = setTimeout(() => void this.run(), Math.max(0, this.readyAt - performance.now()));
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.isSignalled = false;
  }

  private async run(): Promise<void> {
    this.timer = null;
    this.isSignalled = false;
    this.isWorking = true;
    const begin = performance.now();
    try {
      await this.work();
    } finally {
      this.isWorking = false;
      const end = performance.now();
      this.readyAt = end + Math.min(this.bounds.mostMs, Math.max(this.bounds.leastMs, REST * (end - begin)));
      if (this.isSignalled) this.signal();
    }
  }
}
