import type { StepPath, StepRecord } from '@millrace/domain';

/** Takes the records of steps. The worker gathers them into segments of the run's journal. */
export abstract class StepSink {
  /** A step begins to execute. This tells those who watch the run; it is no record. */
  began(_path: StepPath): void {
    // Most sinks only keep records.
  }

  /**
   * Takes one record, in the order of the walk. A later record of a path replaces an earlier one. `stepsCount` is that of
   * the run, with this record.
   */
  abstract record(step: StepRecord, stepsCount: number): void | Promise<void>;
  /** Resolves when all records so far are durable. Rejects when they can no longer become durable. */
  abstract durable(): Promise<void>;
}
