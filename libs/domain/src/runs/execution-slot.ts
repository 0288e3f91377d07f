/** Does work that waits here at first. From the call of `begun` until its end it goes on in another process. */
export type Elsewhere = <Result>(work: (begun: () => void) => Promise<Result>) => Promise<Result>;

/**
 * The slot in which a run executes, as its steps see it. A step that only waits for an answer from outside or for time
 * to pass releases the slot to other runs meanwhile.
 */
export abstract class ExecutionSlot {
  /** Releases the slot because the run only waits from now on. */
  abstract leave(): void;

  /** Resolves when the run has a slot again; undefined when it has one at once. */
  abstract comeBack(): Promise<void> | undefined;

  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.leave();
    try {
      return await wait();
    } finally {
      await this.comeBack();
    }
  }

  /** Does work that waits here at first. From the call of `begun` until its end, the run waits for another process. */
  async whileElsewhere<Result>(work: (begun: () => void) => Promise<Result>): Promise<Result> {
    let hasLeft = false;
    const begun = (): void => {
      if (!hasLeft) this.leave();
      hasLeft = true;
    };
    try {
      return await work(begun);
    } finally {
      if (hasLeft) await this.comeBack();
    }
  }
}
