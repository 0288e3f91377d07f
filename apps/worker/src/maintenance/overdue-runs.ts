import { Logger } from '@nestjs/common';
import { Clock, finishRun, RunJournal, UnfinishedRuns } from '@millrace/domain';
import { recordedOutcome } from '../running/recorded-outcome';
import type { RunNews } from '../running/run-news';
import type { Duty } from './duties';
import { inPages } from './in-pages';

/** The worker that has the run ends it on time; this is for the one that is dead. */
const GRACE_MS = 10_000;

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
      const ended = await Promise.all(overdue.map(({ id }) => this.end(id)));
      return ended.filter(Boolean).length;
    });
  }

  private async end(id: string): Promise<boolean> {
    const run = await this.journal.load(id);
    if (!run?.startTime) return false;
    const { epoch, nextSegment: seq, startTime, recorded } = run;
    const times = { startTime, finishTime: this.clock.now(), timeoutSeconds: this.flowTimeoutSeconds };
    const finish = finishRun({ kind: 'timedOut', ...recordedOutcome(recorded) }, times);
    if (!(await this.journal.finish({ runId: id, epoch, seq, records: [], ...finish }))) return false;
    this.logger.warn(`Run ${id} was over its time and has been ended.`);
    await this.news.ended(run);
    return true;
  }
}
