/** Reports a message, with its cause if there is one. */
export type Say = (message: string, cause?: unknown) => void;

/** What is said of an outage when it begins and when it is over. */
export interface OutageWords {
  begins: string;
  ends: string;
}

/** Reports the first of several failures in a row, and then the first success. */
export class Outage {
  private lasts = false;
  private readonly words: OutageWords;

  /** A text names what cannot be read. */
  constructor(
    what: string | OutageWords,
    private readonly say: Say,
  ) {
    this.words =
      typeof what === 'string' ? { begins: `${what} cannot be read.`, ends: `${what} can be read again.` } : what;
  }

  failed(cause: unknown): void {
    if (!this.lasts) this.say(this.words.begins, cause);
    this.lasts = true;
  }

  succeeded(): void {
    if (this.lasts) this.say(this.words.ends);
    this.lasts = false;
  }
}
