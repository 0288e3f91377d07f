import {
  executeFlowJob,
  isFinal,
  JOB_PRIORITY,
  MAX_RUNS_PER_JOB,
  storableJson,
  type FlowRunStatus,
  type JournalSegment,
  type OpenedRequest,
  type RunJob,
  type StepRecord,
  type WaitEnding,
  type WaitKind,
  type UnreadableReason,
} from '@millrace/domain';
import { EVENT_COLUMNS, insertRunEventsOf, kindOfEnding, kindsIf } from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { plainArray } from '../postgres/packed-bytes';
import { decodeJson, encodeJson } from '../postgres/stored-json';
import type { StoredFailure } from './flow-run.entity';
import { whyUnreadable } from './segment-records';

// The rows of waits. A transaction that opens or ends a wait has locked the run's row before, so an ending and a pause
// always see each other. Transactions that lock many runs lock them in the order of their ids.

export interface StoredWait {
  run_id: string;
  request_id: string;
  kind: WaitKind;
  step_path: string | null;
  ended_at: Date | null;
  ending: Buffer | null;
}

export const encodeEnding = async (ending: WaitEnding): Promise<Buffer> => encodeJson(JSON.stringify(ending));

export async function decodeEnding(bytes: Buffer): Promise<WaitEnding> {
  const ending = JSON.parse(await decodeJson(bytes)) as WaitEnding | null;
  if (ending) return ending;
  throw new Error('The ending of a wait is stored as null.');
}

const LOCK_RUN = 'select status from flow_run where id = $1 for update';

/** Locks the run until the transaction ends and returns its status, or null when there is no such run. */
export async function lockRun(tx: Queryable, runId: string): Promise<FlowRunStatus | null> {
  const query = { name: 'lock-run', text: LOCK_RUN, values: [runId] };
  return (await tx.query<{ status: FlowRunStatus }>(query)).rows[0]?.status ?? null;
}

const FIND_WAIT = `
  select run_id, request_id, kind, step_path, ended_at, ending from run_request where run_id = $1 and request_id = $2`;

export async function findWait(tx: Queryable, runId: string, requestId: string): Promise<StoredWait | null> {
  const query = { name: 'find-wait', text: FIND_WAIT, values: [runId, requestId] };
  return (await tx.query<StoredWait>(query)).rows[0] ?? null;
}

const END_WAIT = `
  update run_request set ended_at = now(), ending = $3 where run_id = $1 and request_id = $2 and ended_at is null`;

export async function endWait(tx: Queryable, runId: string, requestId: string, ending: WaitEnding): Promise<void> {
  await tx.query({ name: 'end-wait', text: END_WAIT, values: [runId, requestId, await encodeEnding(ending)] });
}

const CLOSE_WAITS = 'update run_request set ended_at = now() where run_id = any($1::uuid[]) and ended_at is null';

/** Closes the open waits of runs that have ended, without an ending, which no worker will read. */
export async function closeWaits(tx: Queryable, runIds: readonly string[]): Promise<void> {
  await tx.query({ name: 'close-waits', text: CLOSE_WAITS, values: [plainArray(runIds)] });
}

const FIND_ENDINGS = `
  select run_id, request_id, ending
  from unnest($1::uuid[], $2::text[]) as asked (run_id, request_id) join run_request using (run_id, request_id)
  where ending is not null`;

/**
 * Returns how waits ended, by run and request. Open waits are absent. The runs of endings that cannot be read are added
 * to `unreadable`.
 */
export async function findEndings(
  db: Queryable,
  asked: readonly { runId: string; requestId: string }[],
  unreadable: Map<string, UnreadableReason>,
): Promise<Map<string, Map<string, WaitEnding>>> {
  const endings = new Map<string, Map<string, WaitEnding>>();
  if (asked.length === 0) return endings;
  const values = [plainArray(asked.map(({ runId }) => runId)), asked.map(({ requestId }) => requestId)];
  const query = { name: 'find-endings', text: FIND_ENDINGS, values };
  for (const { run_id, request_id, ending } of (await db.query<StoredWait & { ending: Buffer }>(query)).rows) {
    const ofRun = endings.get(run_id) ?? new Map<string, WaitEnding>();
    const read = await decodeEnding(ending).catch(
      (error: unknown) => void unreadable.set(run_id, whyUnreadable(error, `Wait ${request_id} of run ${run_id}`)),
    );
    if (read) endings.set(run_id, ofRun.set(request_id, read));
  }
  return endings;
}

// A request that exists already is not changed, because it may have been answered. Without an epoch, a worker that has
// lost the run may open it, too: its id is that of the worker that executes the step now.
const OPEN = `
  insert into run_request (run_id, request_id, project_id, kind, created, request)
  select run.id, opened.request_id, run.project_id, 'human', now(), opened.request
  from unnest($3::text[], $4::json[]) as opened (request_id, request)
  join flow_run run on run.id = $1 and run.epoch = coalesce($2::int, run.epoch) and run.status = 'RUNNING'
  on conflict do nothing`;

export const opensRequests = (records: readonly StepRecord[]): boolean => records.some(({ effects }) => effects?.opens);

/** Writes the requests whose links these steps have given away, before a wait for them begins. */
export async function openRequestsOf(
  db: Queryable,
  { runId, epoch, records }: Pick<JournalSegment, 'runId' | 'epoch' | 'records'>,
): Promise<void> {
  await openRequests(
    db,
    { runId, epoch },
    records.flatMap(({ effects }) => effects?.opens ?? []),
  );
}

/** Writes requests of a run that executes, in this epoch if one is given. */
export async function openRequests(
  db: Queryable,
  { runId, epoch }: { runId: string; epoch: number | null },
  opened: readonly OpenedRequest[],
): Promise<void> {
  const ids = opened.map(({ requestId }) => requestId);
  const values = [runId, epoch, ids, opened.map(({ request }) => storableJson(JSON.stringify(request)))];
  await db.query({ name: 'open-requests', text: OPEN, values });
}

// paused_at stays until a worker claims the run, because the time in the queue does not count as the run's time either.
const RESUME = `
  with resumed as (
    update flow_run run
    set status = 'RUNNING', job_id = asked.job_id, updated = now()
    from unnest($1::uuid[], $2::uuid[]) as asked (id, job_id)
    where run.id = asked.id and run.status = 'PAUSED' and ${inIdRange('run.id', 3)}
    returning run.id, run.job_id, ${EVENT_COLUMNS}, array['flow_run.resumed'] as kinds
  ), reported as (${insertRunEventsOf('resumed')})
  select id, project_id as "projectId", flow_version_id as "flowVersionId", job_id as "jobId" from resumed`;

interface ResumedRun {
  id: string;
  projectId: string;
  flowVersionId: string;
  jobId: string;
}

/** Resumes the runs that are PAUSED. Returns the jobs that carry them, to be enqueued after the commit. */
export async function resumeRuns(tx: Queryable, runIds: readonly string[]): Promise<RunJob[]> {
  if (runIds.length === 0) return [];
  const sorted = [...runIds].sort();
  const jobIds = sorted.map(() => '');
  for (let start = 0; start < sorted.length; start += MAX_RUNS_PER_JOB)
    jobIds.fill(newId(), start, start + MAX_RUNS_PER_JOB);
  const values = [plainArray(sorted), plainArray(jobIds), ...idRange(sorted)];
  const query = { name: 'resume-runs', text: RESUME, values };
  return jobsOf((await tx.query<ResumedRun>(query)).rows);
}

function jobsOf(runs: readonly ResumedRun[]): RunJob[] {
  const byJob = new Map<string, ResumedRun[]>();
  for (const run of runs) byJob.set(run.jobId, [...(byJob.get(run.jobId) ?? []), run]);
  return [...byJob].map(([jobId, together]) => ({
    jobId,
    priority: JOB_PRIORITY.webhook,
    runs: together.map((run) => executeFlowJob(run, 'RESUME')),
  }));
}

// The epoch and the lease stay, so that a worker that executes the run can still record its steps.
const END_RUNS = `
  with ended as (
    update flow_run run
    set status = $2, status_reason = $3, finish_time = clock_timestamp(), failed_step = $4, paused_at = null,
      updated = now()
    where id = any($1::uuid[]) and status in ('RUNNING', 'PAUSED') and ${inIdRange('id', 5)}
    returning run.id, ${EVENT_COLUMNS}, ${kindsIf([kindOfEnding('run.status'), 'true'])} as kinds
  ), reported as (${insertRunEventsOf('ended')})
  select id from ended`;

/** Ends unfinished runs from outside and closes their waits. Returns the ids of the runs that had not ended before. */
export async function endRuns(
  tx: Queryable,
  runIds: readonly string[],
  status: Extract<FlowRunStatus, 'FAILED' | 'TIMEOUT'>,
  reason: string,
  failedStep: StoredFailure | null = null,
): Promise<string[]> {
  if (runIds.length === 0) return [];
  const query = {
    name: 'end-runs',
    text: END_RUNS,
    values: [plainArray(runIds), status, reason, failedStep, ...idRange(runIds)],
  };
  const ended = (await tx.query<{ id: string }>(query)).rows.map(({ id }) => id);
  await closeWaits(tx, ended);
  return ended;
}

/** Tells whether a run exists and has not ended. */
export const isUnderWay = (status: FlowRunStatus | null): status is FlowRunStatus =>
  status !== null && !isFinal(status);
