/** The leader lease of the process that performs a duty. */
export interface HeldLease {
  /** False when another process has the lease. A process that was frozen learns it here. */
  isHeld(): boolean;
}

/** A periodic duty of the whole installation: one process at a time performs it. */
export interface Duty {
  readonly name: string;
  /** How long the duty rests after a turn, in milliseconds. */
  readonly everyMs: number;
  /**
   * Performs one turn. It asks before each page of work whether the lease is still held, and each later write must be
   * harmless without the lease, because the process may be frozen at any point. Resolves with what an operator should
   * read about this turn, if anything.
   */
  perform(lease: HeldLease): Promise<string | void>;
  /** What the duty tells is the ordinary course of things: it removed what is old. */
  readonly isRoutine?: boolean;
}
