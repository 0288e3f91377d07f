import type { RunAnswer } from './run-answers';
import type { RunFamilies } from './run-families';
import type { RunToExecute } from './run-journal';
import type { RunNotices } from './run-notices';

/** What has to be known of a run to tell those who wait for it. */
export type AwaitedRun = Pick<RunToExecute, 'id' | 'parentRunId' | 'isAwaited'>;

/**
 * Tells those who wait for a run: its parent, and who wants its response. Never fails: what is not told now is told by
 * the duty that looks for untold children, and who waits for a response asks for it too.
 */
export class RunNews {
  constructor(
    private readonly families: RunFamilies,
    private readonly notices: RunNotices,
    /** Hears what could not be told. */
    private readonly warn: (message: string) => void,
  ) {}

  /** With its response, if it gave one. */
  async ended({ id, parentRunId, isAwaited }: AwaitedRun, answer: RunAnswer): Promise<void> {
    if (isAwaited) await this.answered(id, answer);
    if (parentRunId === null) return;
    await this.families
      .tellParent(id)
      .catch((error: unknown) => this.warn(`The parent of run ${id} is told later: ${String(error)}`));
  }

  /** The response is on record; or the run has ended without one. */
  async answered(runId: string, answer: RunAnswer): Promise<void> {
    await this.notices
      .announceAnswered(runId, answer)
      .catch((error: unknown) => this.warn(`Run ${runId} could not be announced: ${String(error)}`));
  }
}
