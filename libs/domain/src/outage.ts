/** Reports a message, with its cause if there is one. */
export type Say = (message: string, cause?: unknown) => void;

/** Reports the first of several failures in a row, and then the first success. */
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
