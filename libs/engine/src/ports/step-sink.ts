import type { StepRecord } from '@millrace/domain';

/** Where finished steps go. The worker gathers them into segments of the run's journal. */
export abstract class StepSink {
  /** Called once for each finished step, in order; a later record of a path replaces the earlier one. */
  abstract record(step: StepRecord): void | Promise<void>;
  /** Resolves when everything recorded so far is durable, and rejects when that can no longer be had. */
  abstract durable(): Promise<void>;
}
