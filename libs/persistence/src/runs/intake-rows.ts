import {
  executeFlowJob,
  JOB_PRIORITY,
  MAX_RUNS_PER_JOB,
  type ArrivingRun,
  type JobPriority,
  type RunIdempotencyKey,
  type RunJob,
} from '@millrace/domain';
import { storableText } from '../postgres/stored-json';
import type { IntakeRow } from './run-intake.statements';
import { encodeKept } from './segment-records';
import { encodePayload } from '../postgres/stored-payload';

// The rows of new runs, and the jobs that carry them.

/** Encodes the run. The result is a promise only when this takes a while: a large payload, or kept steps. */
export function intakeRow(run: ArrivingRun): IntakeRow | Promise<IntakeRow> {
  const encoded = encodePayload(run.payload);
  const idempotencyKey = run.idempotencyKey === null ? null : (storableText(run.idempotencyKey) as RunIdempotencyKey);
  const rowOf = (payload: Buffer, kept: Buffer | null): IntakeRow => ({
    run: { ...run, idempotencyKey },
    payload,
    kept,
    jobId: '',
  });
  if (Buffer.isBuffer(encoded) && !run.kept?.length) return rowOf(encoded, null);
  return Promise.all([encoded, run.kept?.length ? encodeKept(run.kept) : null]).then(([payload, kept]) =>
    rowOf(payload, kept),
  );
}

/** Gives each row its job. The runs of a job have the same level of backlog, and a job has at most MAX_RUNS_PER_JOB. */
export function assignJobs(rows: readonly IntakeRow[], levelOf: (projectId: string) => number): void {
  const jobs = new Map<number, { id: string; runs: number }>();
  for (const row of rows) {
    const level = levelOf(row.run.projectId);
    let job = jobs.get(level);
    if (!job || job.runs === MAX_RUNS_PER_JOB) jobs.set(level, (job = { id: row.run.id, runs: 0 }));
    row.jobId = job.id;
    job.runs++;
  }
}

export function jobsOf(rows: readonly IntakeRow[]): RunJob[] {
  const jobs = new Map<string, IntakeRow[]>();
  for (const row of rows) {
    const together = jobs.get(row.jobId);
    if (together) together.push(row);
    else jobs.set(row.jobId, [row]);
  }
  return [...jobs].map(([jobId, together]) => ({
    jobId,
    priority: Math.min(...together.map(priorityOf)) as JobPriority,
    runs: together.map(({ run }) => executeFlowJob(run)),
  }));
}

const priorityOf = ({ run }: IntakeRow): JobPriority =>
  run.triggerType === 'SCHEDULE' || run.triggerType === 'POLLING' ? JOB_PRIORITY.schedule : JOB_PRIORITY.webhook;
