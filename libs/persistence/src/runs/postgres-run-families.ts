import {
  failedByChild,
  isId,
  responseOnRecord,
  RunFamilies,
  type FlowRunStatus,
  type JobQueue,
  type RunJob,
  type WaitEnding,
} from '@millrace/domain';
import type { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, type EnqueuePatience } from './best-effort-enqueue';
import { announceStopped } from './postgres-run-notices';
import { loadSegments } from './run-journal.statements';
import { endRuns, endWait, isUnderWay, lockRun, wakeRuns } from './run-wait.statements';
import { readRecords } from './segment-records';

type FinalStatus = Exclude<FlowRunStatus, 'RUNNING' | 'PAUSED'>;

interface EndedChild {
  id: string;
  status: FinalStatus;
  parent_run_id: string;
  fail_parent_on_failure: boolean;
}

interface Told {
  jobs: RunJob[];
  /** The parent that failed with the child: it may be a child too. */
  failedParent: string | null;
}

const UNTOLD = 'parent_run_id is not null and finish_time is not null and not parent_told';

const FIND_UNTOLD = `select id from flow_run where ${UNTOLD} order by id limit $1`;

// A wait for a child is written together with the child: where there is none, none will come.
const MARK_UNHEARD = `
  update flow_run child set parent_told = true
  where id = any($1::uuid[]) and ${UNTOLD} and (status = 'SUCCEEDED' or not fail_parent_on_failure)
    and not exists (select from run_request where child_run_id = child.id and ended_at is null)
  returning id`;

const GET_UNTOLD = `
  select id, status, parent_run_id, fail_parent_on_failure from flow_run where id = $1 and ${UNTOLD}`;

const MARK_TOLD = `update flow_run set parent_told = true where id = $1 and ${UNTOLD}`;

const FIND_WAIT = `
  select request_id from run_request where child_run_id = $1 and run_id = $2 and ended_at is null`;

export class PostgresRunFamilies extends RunFamilies {
  private readonly queue: BestEffortEnqueue;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    patience: EnqueuePatience = ENQUEUE_PATIENCE,
  ) {
    super();
    this.queue = new BestEffortEnqueue(queue, patience);
  }

  async tellParent(childRunId: string): Promise<void> {
    if (isId(childRunId)) await this.tellAll([childRunId]);
  }

  async tellParents(limit: number): Promise<number> {
    const query = { name: 'find-untold', text: FIND_UNTOLD, values: [limit] };
    const untold = (await this.pool.query<{ id: string }>(query)).rows.map(({ id }) => id);
    if (untold.length > 0) await this.tellAll(untold);
    return untold.length;
  }

  /** Most children have nobody who waits: those are one statement. */
  private async tellAll(childRunIds: readonly string[]): Promise<void> {
    const query = { name: 'mark-unheard', text: MARK_UNHEARD, values: [plainArray(childRunIds)] };
    const marked = await inTransaction(this.pool, (tx) => tx.query<{ id: string }>(query));
    const unheard = new Set(marked.rows.map(({ id }) => id));
    for (const childRunId of childRunIds)
      if (!unheard.has(childRunId.toLowerCase())) await this.tellUpwards(childRunId);
  }

  /** A parent that fails with its child has a parent to tell, and so on up. */
  private async tellUpwards(childRunId: string): Promise<void> {
    let untold: string | null = childRunId;
    while (untold !== null) {
      const child: EndedChild | null = await this.untold(untold);
      if (!child) return;
      const told: Told = await inTransaction(this.pool, (tx) => tell(tx, child));
      await this.queue.enqueue(told.jobs);
      untold = told.failedParent;
    }
  }

  private async untold(runId: string): Promise<EndedChild | null> {
    const query = { name: 'get-untold', text: GET_UNTOLD, values: [runId] };
    return (await this.pool.query<EndedChild>(query)).rows[0] ?? null;
  }
}

const NOTHING_MORE: Told = { jobs: [], failedParent: null };

async function tell(tx: Queryable, child: EndedChild): Promise<Told> {
  const parentId = child.parent_run_id;
  const status = await lockRun(tx, parentId);
  const marked = await tx.query({ name: 'mark-told', text: MARK_TOLD, values: [child.id] });
  if (marked.rowCount !== 1 || !isUnderWay(status)) return NOTHING_MORE;
  const requestId = await findChildWait(tx, child);
  if (requestId !== null) {
    await endWait(tx, parentId, requestId, await endingOf(tx, child));
    return { ...NOTHING_MORE, jobs: await wakeRuns(tx, [parentId]) };
  }
  if (!child.fail_parent_on_failure || child.status === 'SUCCEEDED') return NOTHING_MORE;
  await endRuns(tx, [parentId], 'FAILED', failedByChild(child.id, child.status));
  await announceStopped(tx, [parentId]);
  return { ...NOTHING_MORE, failedParent: parentId };
}

async function findChildWait(tx: Queryable, child: EndedChild): Promise<string | null> {
  const query = { name: 'find-child-wait', text: FIND_WAIT, values: [child.id, child.parent_run_id] };
  return (await tx.query<{ request_id: string }>(query)).rows[0]?.request_id ?? null;
}

async function endingOf(tx: Queryable, { id, status }: EndedChild): Promise<WaitEnding> {
  const recorded = await readRecords((await loadSegments(tx, [id])).map(({ records }) => records));
  return { kind: 'child', runId: id, status, response: responseOnRecord(recorded) };
}
