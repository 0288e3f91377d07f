const SECOND_MS = 1_000;

/** What writes lines of one kind, and tells how many were left out. */
export interface LinesOut<Line> {
  write(line: Line): void;
  leftOut(count: number): void;
}

/**
 * Writes at most so many lines a second, so that a flood of events does not flood the log, and tells at the end of the
 * second how many it left out.
 */
export class BoundedLines<Line> {
  private beganAt = -Infinity;
  private written = 0;
  private omitted = 0;

  constructor(
    private readonly out: LinesOut<Line>,
    private readonly mostASecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(line: Line): void {
    if (this.now() - this.beganAt >= SECOND_MS) this.begin();
    if (this.written < this.mostASecond) {
      this.written++;
      this.out.write(line);
      return;
    }
    if (this.omitted++ === 0) setTimeout(() => this.tell(), this.beganAt + SECOND_MS - this.now()).unref();
  }

  private begin(): void {
    this.tell();
    this.beganAt = this.now();
    this.written = 0;
  }

  private tell(): void {
    if (this.omitted > 0) this.out.leftOut(this.omitted);
    this.omitted = 0;
  }
}
