import { Logger } from '@nestjs/common';
import { Clock, finishRun, responseOnRecord, RunJournal, UnfinishedRuns, type RunToExecute } from '@millrace/domain';
import { recordedOutcome } from '../running/recorded-outcome';
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
    const { id: runId, epoch, nextSegment: seq, recorded } = run;
    const finishTime = this.clock.now();
    const times = { startTime: run.startTime ?? finishTime, finishTime, timeoutSeconds: this.flowTimeoutSeconds };
    const finish = finishRun({ kind: 'timedOut', ...recordedOutcome(recorded) }, times);
    if (!(await this.journal.finish({ runId, epoch, seq, records: [], ...finish }))) return false;
    this.logger.warn(`Run ${runId} was over its time and has been ended.`);
    await this.news.ended(run, { status: finish.status, response: responseOnRecord(recorded) });
    return true;
  }
}
