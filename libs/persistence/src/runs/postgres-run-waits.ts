import { isDeepStrictEqual } from 'node:util';
import {
  isId,
  JobQueue,
  LiveUpdates,
  NOBODY_WATCHES,
  PAUSED_TOO_LONG,
  RunMeters,
  RunWaits,
  storableJson,
  type DueWaits,
  type FlowRunStatus,
  type HumanRequest,
  type OpenedRequest,
  type RunJob,
  type RunRequest,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { storableText } from '../postgres/stored-json';
import { showEnqueued } from '../live/show-enqueued';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, EnqueuePatience } from './best-effort-enqueue';
import { endDueWaits, findDueWaits, lockFreeRuns } from './due-waits.statements';
import {
  decodeEnding,
  endRuns,
  endWait,
  findWait,
  isUnderWay,
  lockRun,
  openRequests,
  resumeRuns,
  type StoredWait,
} from './run-wait.statements';

const FIND = `
  select request.request, request.ending, request.ended_at, run.project_id, run.status, version.display_name as flow_name
  from run_request request
  join flow_run run on run.id = request.run_id
  left join flow_version version on version.id = run.flow_version_id
  where request.run_id = $1 and request.request_id = $2 and request.kind = 'human'`;

interface FoundRequest {
  request: HumanRequest;
  ending: Buffer | null;
  ended_at: Date | null;
  project_id: string;
  status: FlowRunStatus;
  flow_name: string | null;
}

type AnswerResult = Awaited<ReturnType<RunWaits['answer']>>;

interface Answered {
  result: AnswerResult;
  jobs: RunJob[];
}

@Injectable()
export class PostgresRunWaits extends RunWaits {
  private readonly queue: BestEffortEnqueue;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    @Optional() patience: EnqueuePatience = ENQUEUE_PATIENCE,
    @Optional() private readonly live: LiveUpdates = NOBODY_WATCHES,
    @Optional() private readonly meters: RunMeters = new RunMeters(),
  ) {
    super();
    this.queue = new BestEffortEnqueue(queue, patience);
  }

  async open(runId: string, opened: OpenedRequest): Promise<void> {
    await openRequests(this.pool, { runId, epoch: null }, [opened]);
  }

  async find(runId: string, requestId: string): Promise<RunRequest | null> {
    if (!isId(runId)) return null;
    const query = { name: 'find-request', text: FIND, values: [runId, storableText(requestId)] };
    const found = (await this.pool.query<FoundRequest>(query)).rows[0];
    if (!found) return null;
    const ending = found.ending ? await decodeEnding(found.ending) : null;
    return {
      requestId,
      runId: runId.toLowerCase(),
      projectId: found.project_id,
      flowName: found.flow_name ?? '',
      request: found.request,
      status: found.status,
      isOpen: found.ended_at === null && isUnderWay(found.status),
      ...(ending?.kind === 'human' && { answer: ending.answer }),
    };
  }

  async answer(runId: string, requestId: string, answer: unknown): Promise<AnswerResult> {
    if (!isId(runId)) return 'refused';
    const stored = asStored(answer);
    const place = { runId, requestId: storableText(requestId) };
    const { result, jobs } = await inTransaction(this.pool, (tx) => answerRequest(tx, place, stored));
    showEnqueued(this.live, jobs);
    await this.queue.enqueue(jobs);
    return result;
  }

  async endDue(limit: number): Promise<DueWaits> {
    const { ended, jobs, timedOut } = await inTransaction(this.pool, (tx) => endDue(tx, limit));
    this.meters.ended.add('TIMEOUT', timedOut.length);
    if (this.live.isWatched)
      for (const id of timedOut) this.live.runChanged({ id, projectId: null, status: 'TIMEOUT' });
    showEnqueued(this.live, jobs);
    await this.queue.enqueue(jobs);
    return timedOut.length === 0 ? { ended } : { ended, timedOut };
  }
}

/** Returns the value as it will be read back from its stored JSON. */
const asStored = (value: unknown): unknown => JSON.parse(storableJson(JSON.stringify(value ?? null))) as unknown;

async function answerRequest(
  tx: Queryable,
  { runId, requestId }: { runId: string; requestId: string },
  answer: unknown,
): Promise<Answered> {
  const status = await lockRun(tx, runId);
  const wait = await findWait(tx, runId, requestId);
  if (!wait || wait.kind !== 'human') return { result: 'refused', jobs: [] };
  if (wait.ended_at) return { result: (await wasAnswered(wait, answer)) ? 'repeated' : 'refused', jobs: [] };
  if (!isUnderWay(status)) return { result: 'refused', jobs: [] };
  await endWait(tx, runId, requestId, { kind: 'human', answer });
  // A request without a step has no wait yet, so its answer must not resume a run that is paused for another wait.
  return { result: 'answered', jobs: wait.step_path === null ? [] : await resumeRuns(tx, [runId]) };
}

async function wasAnswered({ ending }: StoredWait, answer: unknown): Promise<boolean> {
  const first = ending && (await decodeEnding(ending));
  return first?.kind === 'human' && isDeepStrictEqual(first.answer, answer);
}

/** Ends waits that are due. It leaves runs that another transaction has locked for the next call. */
async function endDue(tx: Queryable, limit: number): Promise<DueWaits & { jobs: RunJob[]; timedOut: string[] }> {
  const due = await findDueWaits(tx, limit);
  if (due.length === 0) return { ended: 0, jobs: [], timedOut: [] };
  const statuses = await lockFreeRuns(tx, [...new Set(due.map(({ run_id }) => run_id))]);
  const ended = await endDueWaits(tx, due, statuses);
  const paused = ended.filter(({ run_id }) => statuses.get(run_id) === 'PAUSED');
  const outOfTime = new Set(paused.filter(({ ends_run }) => ends_run).map(({ run_id }) => run_id));
  await endRuns(tx, [...outOfTime], 'TIMEOUT', PAUSED_TOO_LONG);
  const resumed = new Set(paused.map(({ run_id }) => run_id).filter((runId) => !outOfTime.has(runId)));
  return { ended: ended.length, jobs: await resumeRuns(tx, [...resumed]), timedOut: [...outOfTime] };
}
