/** The leader lease of the process that performs a duty. */
export interface HeldLease {
  /** A process that was frozen learns here that another one leads. */
  isHeld(): boolean;
}

/** A periodic duty of the whole installation: one process at a time performs it. */
export interface Duty {
  readonly name: string;
  /** How long it rests after a turn. */
  readonly everyMs: number;
  /**
   * Asks before each page of its work whether the lease is still held. Whatever it writes after that must be harmless:
   * the process may be frozen at any point. Answers what an operator should read of this turn, if anything.
   */
  perform(lease: HeldLease): Promise<string | void>;
}
