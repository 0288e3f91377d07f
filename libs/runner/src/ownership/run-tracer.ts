import type { RunToExecute, StepPath, StepRecord } from '@millrace/domain';
import { StepSink, type RunExit } from '@millrace/engine';

/** One walk that is followed. */
export abstract class TracedWalk {
  abstract stepBegan(path: StepPath): void;
  abstract stepRecorded(step: StepRecord): void;
  /** The walk has left its run in this way; null when it was broken off by the service's own trouble. */
  abstract end(exit: RunExit | null): void;
}

/** Follows the walks of runs for those who operate the service. */
export abstract class RunTracer {
  abstract begin(run: RunToExecute): TracedWalk;
}

/** Tells a followed walk of its steps, beside the sink that records them. */
export class TracedSink extends StepSink {
  constructor(
    private readonly sink: StepSink,
    private readonly walk: TracedWalk,
  ) {
    super();
  }

  override began(path: StepPath): void {
    this.sink.began(path);
    this.walk.stepBegan(path);
  }

  override record(step: StepRecord, stepsCount: number): void | Promise<void> {
    this.walk.stepRecorded(step);
    return this.sink.record(step, stepsCount);
  }

  override durable(): Promise<void> {
    return this.sink.durable();
  }
}
