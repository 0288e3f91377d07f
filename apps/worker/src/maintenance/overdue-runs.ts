import { Logger } from '@nestjs/common';
import { Clock, finishRun, RunJournal, tagsOnRecord, UnfinishedRuns } from '@millrace/domain';
import type { Duty } from './duties';

/** The worker that has the run ends it on time; this is for the one that is dead. */
const GRACE_MS = 10_000;
const PAGE_SIZE = 200;

/** Ends runs whose time is over, also when the worker that had them is gone. */
export class OverdueRuns implements Duty {
  readonly name = 'Overdue runs';
  readonly everyMs = 5_000;
  private readonly logger = new Logger(OverdueRuns.name);

  constructor(
    private readonly runs: UnfinishedRuns,
    private readonly journal: RunJournal,
    private readonly clock: Clock,
    private readonly flowTimeoutSeconds: number,
  ) {}

  async perform(): Promise<void> {
    const now = this.clock.now();
    const startedBefore = new Date(now.getTime() - this.flowTimeoutSeconds * 1_000 - GRACE_MS);
    for (const overdue of await this.runs.findOverdue(startedBefore, PAGE_SIZE)) {
      const run = await this.journal.load(overdue.id);
      if (!run?.startTime) continue;
      const { id: runId, epoch, nextSegment: seq, startTime, recorded } = run;
      const times = { startTime, finishTime: now, timeoutSeconds: this.flowTimeoutSeconds };
      const finish = finishRun({ kind: 'timedOut', stepsCount: recorded.length, tags: tagsOnRecord(recorded) }, times);
      const won = await this.journal.finish({ runId, epoch, seq, records: [], ...finish });
      if (won) this.logger.warn(`Run ${runId} was over its time and has been ended.`);
    }
  }
}
