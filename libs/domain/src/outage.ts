/** Says something of what goes on, with what caused it. */
export type Say = (message: string, cause?: unknown) => void;

/** Of failures that follow each other only the first is said, and then that it is over. */
export class Outage {
  private lasts = false;

  constructor(
    private readonly what: string,
    private readonly say: Say,
  ) {}

  failed(cause: unknown): void {
    if (!this.lasts) this.say(`${this.what} cannot be read.`, cause);
    this.lasts = true;
  }

  succeeded(): void {
    if (this.lasts) this.say(`${this.what} can be read again.`);
    this.lasts = false;
  }
}
