import type { Clock } from '../clock';
import { executeFlowJob } from '../jobs/job-kinds';
import { JOB_PRIORITY, MAX_RUNS_PER_JOB } from '../jobs/job-policy';
import type { JobQueue, RunJob } from '../jobs/job-queue';
import type { UnfinishedRun, UnfinishedRuns } from '../runs/unfinished-runs';
import type { Duty, HeldLease } from './duty';

/** Younger runs may be on their way from intake to the queue. */
const GRACE_MS = 5_000;
const PAGE_SIZE = 2_000;
/** The time of one turn. A turn that finds no lost run has much less, because reading a long queue slows the queue. */
const BUDGET_MS = 4_000;
const UNHARMED_MS = 300;
/** The rests between two laps, and between two turns of one lap. */
const LAP_REST_MS = 5_000;
const TURN_REST_MS = 300;

/**
 * Re-enqueues every unfinished run that no job carries and no live lease protects: the queue may have lost its last
 * second or all its jobs, or the run's worker may have died. A lap goes through all runs, oldest first. A turn that
 * finds lost runs uses its whole time.
 */
export class RunRescuer implements Duty {
  readonly name = 'Run rescuer';
  /** How many runs this process has put back since its start. */
  rescued = 0;
  private afterId: string | null = null;

  constructor(
    private readonly runs: UnfinishedRuns,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
    private readonly newId: () => string,
  ) {}

  get everyMs(): number {
    return this.afterId === null ? LAP_REST_MS : TURN_REST_MS;
  }

  async perform(lease: HeldLease): Promise<string | void> {
    const startedAt = this.clock.elapsedMs();
    let rescued = 0;
    while (lease.isHeld()) {
      const page = await this.runs.findUnfinished(GRACE_MS, this.afterId, PAGE_SIZE);
      const lost = await this.withoutLiveJob(page);
      if (!lease.isHeld()) break;
      if (lost.length > 0) rescued += await this.putBack(lost);
      this.afterId = page.length === PAGE_SIZE ? (page.at(-1)?.id ?? null) : null;
      if (this.afterId === null || !this.hasTime(startedAt, rescued > 0)) break;
    }
    if (rescued === 1) return '1 unfinished run had no live job and was put back into the queue.';
    if (rescued > 1) return `${rescued} unfinished runs had no live job and were put back into the queue.`;
  }

  private hasTime(startedAt: number, hasFound: boolean): boolean {
    return this.clock.elapsedMs() - startedAt < (hasFound ? BUDGET_MS : UNHARMED_MS);
  }

  /**
   * Enqueues the runs in new jobs, whose ids are noted in the runs' rows first: a process that dies between the two
   * steps only costs another turn. A run whose job cannot be noted has ended or is locked by another process, and is
   * left for the next lap. Resolves with the number of runs that were enqueued.
   */
  private async putBack(lost: readonly UnfinishedRun[]): Promise<number> {
    const jobs: RunJob[] = [];
    for (let from = 0; from < lost.length; from += MAX_RUNS_PER_JOB) {
      const runs = lost.slice(from, from + MAX_RUNS_PER_JOB).map((run) => executeFlowJob(run));
      jobs.push({ jobId: this.newId(), priority: JOB_PRIORITY.webhook, runs });
    }
    const noted = await this.runs.assignJobs(
      jobs.map(({ jobId, runs }) => ({ jobId, runIds: runs.map(({ runId }) => runId) })),
    );
    const carried = jobs.map((job) => ({ ...job, runs: job.runs.filter(({ runId }) => noted.has(runId)) }));
    await this.queue.enqueue(carried.filter(({ runs }) => runs.length > 0));
    this.rescued += noted.size;
    return noted.size;
  }

  private async withoutLiveJob(page: readonly UnfinishedRun[]): Promise<UnfinishedRun[]> {
    if (page.length === 0) return [];
    const jobIds = [...new Set(page.map((run) => run.jobId))];
    const liveness = await this.queue.liveness(jobIds);
    const gone = new Set(jobIds.filter((_, index) => liveness[index] === 'gone'));
    return page.filter((run) => gone.has(run.jobId));
  }
}
