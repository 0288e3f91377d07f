/**
 * The slot in which a run executes, as its steps see it. A step that only waits, for an answer from outside or for time
 * to pass, lets other runs have it meanwhile.
 */
export abstract class ExecutionSlot {
  /** The run only waits from here on. */
  abstract leave(): void;

  /** Resolves when the run may go on; undefined when it may at once. */
  abstract comeBack(): Promise<void> | undefined;

  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.leave();
    try {
      return await wait();
    } finally {
      await this.comeBack();
    }
  }
}
