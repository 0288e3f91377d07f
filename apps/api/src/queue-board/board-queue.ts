import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job, Queue } from 'bullmq';
import { shownJob } from './shown-job';
import type { ShownWorker } from './shown-workers';

/** What an operator needs to know about failed jobs, in their order. It is shown with the data of the job. */
export type Explain = (jobs: readonly Job[]) => Promise<readonly object[]>;

/** How many jobs a page of the board has at most, whatever its address asks for. */
const MOST_ON_A_PAGE = 100;

/** What the board needs to know besides the queue itself. */
export interface BoardSources {
  explain: Explain;
  /** The workers that live. Each of them takes jobs from both queues. */
  workers: () => Promise<ShownWorker[]>;
}

/** A queue as the board shows it: nothing in it can be changed, and its failed jobs explain themselves. */
export class BoardQueue extends BullMQAdapter {
  constructor(
    queue: Queue,
    private readonly sources: BoardSources,
    description: string,
  ) {
    super(queue, { readOnlyMode: true, description });
  }

  /** BullMQ itself knows no addresses of workers in PostgreSQL, and on Redis only where the server lists its clients. */
  override getWorkers(): Promise<ShownWorker[]> {
    return this.sources.workers();
  }

  override async getJob(id: string): Promise<Job | undefined> {
    if (id.includes('\0')) return undefined; // PostgreSQL refuses it
    const job = await super.getJob(id);
    if (job) await this.prepare([job]);
    return job;
  }

  override async getJobs(...[states, start = 0, end = start]: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    const jobs = await super.getJobs(states, start, Math.min(end, start + MOST_ON_A_PAGE - 1));
    await this.prepare(jobs);
    return jobs;
  }

  private async prepare(jobs: readonly Job[]): Promise<void> {
    const failed = jobs.filter(({ failedReason, finishedOn }) => failedReason && finishedOn);
    const explanations = await this.sources.explain(failed);
    for (const job of jobs) {
      const explanation = explanations[failed.indexOf(job)];
      const shown = shownJob(job.toJSON(), explanation);
      job.toJSON = () => shown;
    }
  }
}
