import { Logger } from '@nestjs/common';
import { Clock, UnfinishedRuns, RunJournal } from '@millrace/domain';
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
      await this.journal.finish({
        runId: run.id,
        epoch: run.epoch,
        seq: run.nextSegment,
        records: [],
        status: 'TIMEOUT',
        startTime: run.startTime,
        finishTime: now,
        stepsCount: run.recorded.length,
        failedStep: null,
        statusReason: `The run exceeded its time limit of ${this.flowTimeoutSeconds} s.`,
        tags: [],
      });
      this.logger.warn(`Run ${run.id} was over its time and has been ended.`);
    }
  }
}
