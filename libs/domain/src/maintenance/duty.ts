/** A periodic duty of the whole installation: one process at a time performs it. */
export interface Duty {
  readonly name: string;
  readonly everyMs: number;
  /** Answers what an operator should read of this turn, if anything. */
  perform(): Promise<string | void>;
}
