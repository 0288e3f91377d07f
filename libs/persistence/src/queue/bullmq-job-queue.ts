// The job queue on BullMQ, over Redis or PostgreSQL.
//
// The queue owns the jobs only: the row of a run tells whether the run is finished. Invariants:
// Q1. A job carries the ids of at most MAX_RUNS_PER_JOB runs. The rescuer repairs a lost job from the rows of its runs,
//     and a repeated job finds its runs executed.
// Q2. Every call settles within the deadline. A call that was given up may still take effect, so every operation can be
//     repeated.
// Q3. `replace` never removes a live job. A finished job is missing between its removal and its addition; the rescuer
//     finds that.
// Q4. The place of a job in the queue follows from the least level of its projects, so that a project with a small
//     backlog does not wait behind the backlogs of other projects.

import {
  BacklogWatch,
  JobQueue,
  placeInQueue,
  type ExecuteFlowJob,
  type JobKind,
  type JobLiveness,
  type RunJob,
} from '@millrace/domain';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { PostgresQueueBackend, RedisQueueBackend } from 'bullmq';
import type { JobTable } from './job-table';
import type { AddedJob } from './lean-queue.statements';
import { goneInPostgres, waitingInRedis } from './live-jobs';
import { BULLMQ_QUEUE, type RunQueue } from './run-queue';
import { withinDeadline } from './within-deadline';

const DEADLINE_MS = 1_000;
const JOB_KIND: JobKind = 'ExecuteFlowJob';
const GONE_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'unknown']);

@Injectable()
export class BullMqJobQueue extends JobQueue implements JobTable {
  constructor(
    @Inject(BULLMQ_QUEUE) private readonly queue: RunQueue,
    @Optional() private readonly deadlineMs: number = DEADLINE_MS,
    @Optional() private readonly backlog?: BacklogWatch,
  ) {
    super();
  }

  async enqueue(jobs: readonly RunJob[]): Promise<void> {
    await withinDeadline(this.deadlineMs, this.add(jobs));
  }

  async replace(jobs: readonly RunJob[]): Promise<void> {
    await withinDeadline(this.deadlineMs, this.removeFinishedAndAdd(jobs));
  }

  async liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    const gone = await withinDeadline(this.deadlineMs, this.goneOf(jobIds));
    return jobIds.map((id) => (gone.has(id) ? 'gone' : 'live'));
  }

  get queueName(): string {
    return this.queue.name;
  }

  /** Returns the rows of the jobs as BullMQ would write them into its table in PostgreSQL. */
  rowsOf(jobs: readonly RunJob[]): AddedJob[] {
    const { defaultJobOptions } = this.queue;
    return jobs.map((job) => {
      const priority = this.placeOf(job);
      return {
        id: job.jobId,
        name: JOB_KIND,
        data: JSON.stringify({ runs: job.runs }),
        opts: JSON.stringify({ ...defaultJobOptions, jobId: job.jobId, priority }),
        priority,
        attempts: defaultJobOptions.attempts ?? 1,
        timestamp: Date.now(),
      };
    });
  }

  /**
   * On PostgreSQL one statement adds all jobs. On Redis, single calls that are sent together are as fast as BullMQ's
   * bulk call, which would add either all jobs or none.
   */
  private async add(jobs: readonly RunJob[]): Promise<void> {
    const toAdd = jobs.map((job) => ({
      name: JOB_KIND,
      data: { runs: job.runs },
      opts: { jobId: job.jobId, priority: this.placeOf(job) },
    }));
    if (this.queue.getBackend() instanceof PostgresQueueBackend) await this.queue.addBulk(toAdd);
    else await Promise.all(toAdd.map(({ name, data, opts }) => this.queue.add(name, data, opts)));
  }

  private placeOf({ priority, runs, leastLevel = 0 }: RunJob): number {
    const areResumed = runs.every(({ executionType }) => executionType === 'RESUME');
    if (!this.backlog) return placeInQueue(priority, leastLevel, areResumed);
    this.backlog.keepUp();
    let level = Infinity;
    for (const [projectId, count] of countByProject(runs)) {
      level = Math.min(level, areResumed ? this.backlog.levelOfResumed(projectId) : this.backlog.levelOf(projectId));
      if (areResumed) this.backlog.addResumed(projectId, count);
      else this.backlog.add(projectId, count);
    }
    return placeInQueue(priority, Math.max(leastLevel, Number.isFinite(level) ? level : 0), areResumed);
  }

  private async removeFinishedAndAdd(jobs: readonly RunJob[]): Promise<void> {
    const states = await this.statesOf(jobs.map((job) => job.jobId));
    const finished = jobs.filter((_, i) => states[i] === 'completed' || states[i] === 'failed');
    await Promise.all(finished.map((job) => this.queue.remove(job.jobId)));
    await this.add(jobs);
  }

  private async goneOf(jobIds: readonly string[]): Promise<ReadonlySet<string>> {
    const backend: unknown = this.queue.getBackend();
    if (backend instanceof PostgresQueueBackend) {
      await this.queue.waitUntilReady();
      return goneInPostgres(backend, this.queue.name, jobIds);
    }
    const waiting = backend instanceof RedisQueueBackend ? await waitingInRedis(backend, jobIds) : new Set<string>();
    const others = jobIds.filter((id) => !waiting.has(id));
    const states = await this.statesOf(others);
    return new Set(others.filter((_, i) => GONE_STATES.has(states[i] ?? 'unknown')));
  }

  private async statesOf(jobIds: readonly string[]): Promise<string[]> {
    const backend: unknown = this.queue.getBackend();
    if (backend instanceof PostgresQueueBackend) return this.statesInPostgres(backend, jobIds);
    // The client sends the commands without waiting for each answer, so they take one round trip.
    return Promise.all(jobIds.map((id) => this.queue.getJobState(id)));
  }

  private async statesInPostgres(backend: PostgresQueueBackend, jobIds: readonly string[]): Promise<string[]> {
    await this.queue.waitUntilReady();
    const { rows } = await backend.connection.pool.query<{ id: string; state: string }>(
      'select id, state from job where queue = $1 and id = any($2)',
      [this.queue.name, jobIds],
    );
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return jobIds.map((id) => states.get(id) ?? 'unknown');
  }
}

function countByProject(runs: readonly ExecuteFlowJob[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { projectId } of runs) counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
  return counts;
}
