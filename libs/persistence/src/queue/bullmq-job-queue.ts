// The job queue on BullMQ, over Redis or PostgreSQL.
//
// Owns the jobs and nothing else: whether a run is finished is known only by its row. Invariants:
// Q1. A job carries ids of runs, at most MAX_RUNS_PER_JOB; losing or repeating one is repaired from the rows.
// Q2. The answer comes within the deadline. A call that was given up may still take effect: every operation can be repeated.
// Q3. `replace` never takes a live job away; between its removal and its addition a job may be missing, which the rescuer sees.

import { JobQueue, type ExecuteFlowJob, type JobKind, type JobLiveness, type RunJob } from '@millrace/domain';
import { PostgresQueueBackend, type Queue } from 'bullmq';
import { withinDeadline } from './within-deadline';

/** What the job's `data` holds; a processor of RUN_QUEUE receives it. */
export interface RunJobData {
  runs: readonly ExecuteFlowJob[];
}

export type RunQueue = Queue<RunJobData, void, JobKind>;

const DEADLINE_MS = 1_000;
const JOB_KIND: JobKind = 'ExecuteFlowJob';
const GONE_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'unknown']);

export class BullMqJobQueue extends JobQueue {
  constructor(
    private readonly queue: RunQueue,
    private readonly deadlineMs = DEADLINE_MS,
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
    const states = await withinDeadline(this.deadlineMs, this.statesOf(jobIds));
    return states.map((state) => (GONE_STATES.has(state) ? 'gone' : 'live'));
  }

  /** Single adds sent together are as fast as BullMQ's bulk call on Redis and faster on PostgreSQL, where that makes temporary tables. */
  private add(jobs: readonly RunJob[]): Promise<unknown> {
    return Promise.all(
      jobs.map(({ jobId, priority, runs }) => this.queue.add(JOB_KIND, { runs }, { jobId, priority })),
    );
  }

  private async removeFinishedAndAdd(jobs: readonly RunJob[]): Promise<void> {
    const states = await this.statesOf(jobs.map((job) => job.jobId));
    const finished = jobs.filter((_, i) => states[i] === 'completed' || states[i] === 'failed');
    await Promise.all(finished.map((job) => this.queue.remove(job.jobId)));
    await this.add(jobs);
  }

  private async statesOf(jobIds: readonly string[]): Promise<string[]> {
    const backend: unknown = this.queue.getBackend();
    if (backend instanceof PostgresQueueBackend) return this.statesInPostgres(backend, jobIds);
    // The commands leave on one connection without waiting for each other's answers: one round trip.
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
