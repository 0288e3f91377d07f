import { Logger } from '@nestjs/common';
import {
  Clock,
  executeFlowJob,
  UnfinishedRuns,
  JOB_PRIORITY,
  JobQueue,
  type RunJob,
  type UnfinishedRun,
} from '@millrace/domain';
import type { Duty } from './duties';

/** Younger runs are on their way from intake to the queue. */
const GRACE_MS = 5_000;
const PAGE_SIZE = 1_000;

/**
 * Puts back into the queue every unfinished run that no job carries and no live lease protects: the queue may have lost
 * its last second, or everything, or its worker. Each tick looks at one page, oldest first, and goes round.
 */
export class RunRescuer implements Duty {
  readonly name = 'Run rescuer';
  readonly everyMs = 5_000;
  private readonly logger = new Logger(RunRescuer.name);
  private afterId: string | null = null;

  constructor(
    private readonly runs: UnfinishedRuns,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {}

  async perform(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - GRACE_MS);
    const page = await this.runs.findUnfinished(createdBefore, this.afterId, PAGE_SIZE);
    this.afterId = page.length === PAGE_SIZE ? (page.at(-1)?.id ?? null) : null;
    const lost = await this.withoutLiveJob(page);
    if (lost.length === 0) return;
    for (const run of lost) await this.runs.assignJob([run.id], run.id);
    await this.queue.replace(lost.map(jobOf));
    this.logger.warn(`${lost.length} unfinished runs had no live job and were put back into the queue.`);
  }

  private async withoutLiveJob(page: readonly UnfinishedRun[]): Promise<UnfinishedRun[]> {
    const jobIds = [...new Set(page.map((run) => run.jobId))];
    const liveness = await this.queue.liveness(jobIds);
    const gone = new Set(jobIds.filter((_, index) => liveness[index] === 'gone'));
    return page.filter((run) => gone.has(run.jobId));
  }
}

const jobOf = (run: UnfinishedRun): RunJob => ({
  jobId: run.id,
  priority: JOB_PRIORITY.webhook,
  runs: [executeFlowJob(run)],
});
