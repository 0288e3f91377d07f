import { Logger } from '@nestjs/common';
import { Clock, RunJournal, UnfinishedRuns, type RunToExecute } from '@millrace/domain';
import { endAsRecorded } from '../running/ending-as-recorded';
import type { RunNews } from '../running/run-news';
import type { Duty } from './duties';
import { inPages } from './in-pages';

/** The worker that has the run ends it on time; this is for the one that is dead. */
const GRACE_MS = 10_000;
/** A run may be claimed, or pause and go on, between two of our calls, and again and again. */
const TRIES = 5;

/** Ends runs whose time is over, also when the worker that had them is gone. */
export class OverdueRuns implements Duty {
  readonly name = 'Overdue runs';
  readonly everyMs = 5_000;
  private readonly logger = new Logger(OverdueRuns.name);

  constructor(
    private readonly runs: UnfinishedRuns,
    private readonly journal: RunJournal,
    private readonly news: RunNews,
    private readonly clock: Clock,
    private readonly flowTimeoutSeconds: number,
  ) {}

  async perform(): Promise<void> {
    const startedBefore = new Date(this.clock.now().getTime() - this.flowTimeoutSeconds * 1_000 - GRACE_MS);
    // A page of which one was not ended counts as not full: it would come again.
    await inPages({ pageSize: 200, budgetMs: 4_000, clock: this.clock }, async (pageSize) => {
      const overdue = await this.runs.findOverdue(startedBefore, pageSize);
      let ended = 0;
      // One after the other: each is here with all its records.
      for (const { id } of overdue) if (await this.end(id, startedBefore)) ended++;
      return ended;
    });
  }

  private async end(id: string, startedBefore: Date): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const run = await this.journal.load(id);
      // It may have ended, or waited for a while, since it was found.
      if (run?.status !== 'RUNNING' || !run.timeCountsFrom || run.timeCountsFrom >= startedBefore) return false;
      if (await this.finish(run)) return true;
    }
    return false;
  }

  private async finish(run: RunToExecute): Promise<boolean> {
    const { journal, news } = this;
    const times = { finishTime: this.clock.now(), timeoutSeconds: this.flowTimeoutSeconds };
    if (!(await endAsRecorded({ journal, news }, run, { kind: 'timedOut' }, times))) return false;
    this.logger.warn(`Run ${run.id} was over its time and has been ended.`);
    return true;
  }
}
