import type { RunAnswer } from './run-answers';
import type { RunFamilies } from './run-families';
import type { RunToExecute } from './run-journal';
import type { RunNotices } from './run-notices';

/** What is needed of a run to publish its events. */
export type AwaitedRun = Pick<RunToExecute, 'id' | 'parentRunId' | 'isAwaited'>;

/**
 * Publishes the events of a run to those who wait for them: its parent run, and the sender that waits for its response.
 * Never rejects. When a notification fails now, the parent is notified by the duty that looks for children that have
 * ended, and the gateway that waits for a response also asks for it.
 */
export class RunEvents {
  constructor(
    private readonly families: RunFamilies,
    private readonly notices: RunNotices,
    /** Receives a sentence for each notification that failed. */
    private readonly warn: (message: string) => void,
  ) {}

  /** The run has ended. `answer` has its response, if it gave one. */
  async ended({ id, parentRunId, isAwaited }: AwaitedRun, answer: RunAnswer): Promise<void> {
    if (isAwaited) await this.answered(id, answer);
    if (parentRunId === null) return;
    await this.families
      .notifyParent(id)
      .catch((error: unknown) => this.warn(`The parent of run ${id} is notified later: ${String(error)}`));
  }

  /** The response of the run is on record, or the run has ended without one. */
  async answered(runId: string, answer: RunAnswer): Promise<void> {
    await this.notices
      .announceAnswered(runId, answer)
      .catch((error: unknown) => this.warn(`Run ${runId} could not be announced: ${String(error)}`));
  }
}
