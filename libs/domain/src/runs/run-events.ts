import { NOBODY_WATCHES, type LiveUpdates } from '../live/live-updates';
import { badEndingOf, type BadEndings } from './bad-ending';
import type { RunFinish } from './finish-run';
import type { RunAnswer } from './run-answers';
import type { RunFamilies } from './run-families';
import type { RunHead, RunToExecute } from './run-journal';
import type { RunNotices } from './run-notices';

/** What is needed of a run to publish its events. */
export type AwaitedRun = Pick<RunToExecute, 'id' | 'projectId' | 'parentRunId' | 'isAwaited'>;

/**
 * Publishes the events of a run to those who wait for them: its parent run, the sender that waits for its response, and
 * the clients that watch it. Never rejects. When a notification fails now, the parent is notified by the duty that looks for children that have
 * ended, and the gateway that waits for a response also asks for it.
 */
export class RunEvents {
  constructor(
    private readonly families: RunFamilies,
    private readonly notices: RunNotices,
    /** Receives a sentence for each notification that failed, and the run that it concerns. */
    private readonly warn: (message: string, runId: string) => void,
    /** Publishes what becomes of the run and of its steps until then. */
    readonly live: LiveUpdates = NOBODY_WATCHES,
    private readonly badEndings: BadEndings = { note: () => undefined },
  ) {}

  /** Notes an ending that an operator should know. It costs nothing for a run that ended well. */
  noteEnding(run: Pick<RunHead, 'id' | 'flowId' | 'projectId'>, finish: RunFinish): void {
    const ending = badEndingOf(run, finish);
    if (ending) this.badEndings.note(ending);
  }

  /** Whether anybody may wait for the end of this run. */
  awaitsEnd({ parentRunId, isAwaited }: AwaitedRun): boolean {
    return parentRunId !== null || isAwaited || this.live.isWatched;
  }

  /** The run has ended. `answer` has its response, if it gave one. */
  async ended({ id, projectId, parentRunId, isAwaited }: AwaitedRun, answer: RunAnswer): Promise<void> {
    // Whoever stopped the run has published its new status; this is the run's last segment.
    if (this.live.isWatched)
      this.live.runChanged({ id, projectId, ...(answer.status !== 'STOPPED' && { status: answer.status }) });
    if (isAwaited) await this.answered(id, answer);
    if (parentRunId === null) return;
    await this.families
      .notifyParent(id)
      .catch((error: unknown) => this.warn(`The parent of run ${id} is notified later: ${String(error)}`, id));
  }

  /** The response of the run is on record, or the run has ended without one. */
  async answered(runId: string, answer: RunAnswer): Promise<void> {
    await this.notices
      .announceAnswered(runId, answer)
      .catch((error: unknown) => this.warn(`Run ${runId} could not be announced: ${String(error)}`, runId));
  }
}
