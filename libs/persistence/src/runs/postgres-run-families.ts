import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  BadEndings,
  errorFingerprint,
  failedByChild,
  isId,
  JobQueue,
  LiveUpdates,
  NOBODY_WATCHES,
  RunFamilies,
  RunMeters,
  stepNameOf,
  type BadEnding,
  type FinalRunStatus,
  type RunJob,
  type WaitEnding,
} from '@millrace/domain';
import { Pool } from 'pg';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { showEnqueued } from '../live/show-enqueued';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, EnqueuePatience } from './best-effort-enqueue';
import type { StoredFailure } from './flow-run.entity';
import { announceStopped } from './postgres-run-notices';
import { findResponse } from './response-on-record';
import { endRuns, endWait, isUnderWay, lockRun, resumeRuns } from './run-wait.statements';

interface EndedChild {
  id: string;
  status: FinalRunStatus;
  parent_run_id: string;
  fail_parent_on_failure: boolean;
  started_by_step: string | null;
  is_waited_for: boolean;
  /** The message of its failed step, or else its status reason. */
  message: string | null;
}

interface Told {
  jobs: RunJob[];
  /** The run whose parent has to be told next: the parent that failed with its child may have a parent too. */
  next: string | null;
  /** The parent that failed with its child. */
  failed?: BadEnding;
}

const UNTOLD = 'parent_run_id is not null and finish_time is not null and not parent_told';

const FIND_UNTOLD = `
  select id from flow_run where ${UNTOLD} and id <> all($2::uuid[]) order by id limit $1`;

// A wait for a child is written together with the child, so no wait is added later. The statement skips a child whose
// row is locked; its parent is told by a transaction for that child alone.
const MARK_UNHEARD = `
  with free as (
    select id from flow_run child
    where id = any($1::uuid[]) and ${inIdRange('id', 2)} and ${UNTOLD} and (status = 'SUCCEEDED' or not fail_parent_on_failure)
      and not exists (select from run_request where child_run_id = child.id and ended_at is null)
    order by id for no key update skip locked
  )
  update flow_run set parent_told = true from free where flow_run.id = free.id and ${inIdRange('flow_run.id', 2)}
  returning flow_run.id`;

const GET_UNTOLD = `
  select id, status, parent_run_id, fail_parent_on_failure, started_by_step,
    exists (select from run_request where child_run_id = flow_run.id and run_id = parent_run_id and ended_at is null)
      as is_waited_for,
    coalesce(failed_step ->> 'message', status_reason) as message
  from flow_run where id = $1 and ${UNTOLD}`;

const MARK_TOLD = `update flow_run set parent_told = true where id = $1 and ${UNTOLD}`;

const FIND_WAIT = `
  select request_id from run_request where child_run_id = $1 and run_id = $2 and ended_at is null`;

/** What learns of parents that a child resumes or fails: clients that watch, the metrics and the log. */
@Injectable()
export class ParentObservers {
  constructor(
    @Optional() readonly live: LiveUpdates = NOBODY_WATCHES,
    @Optional() readonly meters: RunMeters = new RunMeters(),
    @Optional() readonly badEndings: BadEndings = { note: () => undefined },
  ) {}
}

@Injectable()
export class PostgresRunFamilies extends RunFamilies {
  private readonly logger = new Logger(PostgresRunFamilies.name);
  private readonly queue: BestEffortEnqueue;
  /** The children whose parents could not be told. They are tried again after all other children. */
  private readonly failed = new Set<string>();

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    @Optional() patience: EnqueuePatience = ENQUEUE_PATIENCE,
    @Optional() private readonly observers: ParentObservers = new ParentObservers(),
  ) {
    super();
    this.queue = new BestEffortEnqueue(queue, patience);
  }

  async notifyParent(childRunId: string): Promise<void> {
    if (!isId(childRunId)) return;
    for (const untold of await this.markUnheard([childRunId])) await this.tellUpwards(untold);
  }

  async notifyParents(limit: number): Promise<number> {
    const query = { name: 'find-untold', text: FIND_UNTOLD, values: [limit, plainArray([...this.failed])] };
    const untold = (await this.pool.query<{ id: string }>(query)).rows.map(({ id }) => id);
    if (untold.length < limit) this.failed.clear();
    if (untold.length > 0)
      for (const childRunId of await this.markUnheard(untold)) await this.tellIfPossible(childRunId);
    return untold.length;
  }

  /** Marks the children whose ending changes no parent, by one statement; most are such. Returns the others. */
  private async markUnheard(childRunIds: readonly string[]): Promise<string[]> {
    const query = {
      name: 'mark-unheard',
      text: MARK_UNHEARD,
      values: [plainArray(childRunIds), ...idRange(childRunIds)],
    };
    const marked = await inTransaction(this.pool, (tx) => tx.query<{ id: string }>(query));
    const unheard = new Set(marked.rows.map(({ id }) => id));
    return childRunIds.filter((childRunId) => !unheard.has(childRunId.toLowerCase()));
  }

  /** Logs a failure and keeps the child for later, so that it does not stop the children behind it. */
  private async tellIfPossible(childRunId: string): Promise<void> {
    try {
      await this.tellUpwards(childRunId);
    } catch (error) {
      this.failed.add(childRunId);
      const msg = `The parent of run ${childRunId} could not be told, will try again: ${String(error)}`;
      this.logger.warn({ msg, runId: childRunId });
    }
  }

  /** Tells the parent. A parent that fails with its child has a parent to be told in turn. */
  private async tellUpwards(childRunId: string): Promise<void> {
    let untold: string | null = childRunId;
    while (untold !== null) {
      const child: EndedChild | null = await this.untold(untold);
      if (!child) return;
      // A response may be large, so it is read before a row is locked, and only when the parent waits for the child.
      const ending = child.is_waited_for ? await this.endingOf(child) : null;
      const told: Told = await inTransaction(this.pool, (tx) => tell(tx, child, ending));
      if (told.next === child.parent_run_id) this.observers.meters.ended.add('FAILED');
      showEnqueued(this.observers.live, told.jobs);
      await this.queue.enqueue(told.jobs);
      if (told.failed) this.observers.badEndings.note(told.failed);
      untold = told.next;
    }
  }

  private async untold(runId: string): Promise<EndedChild | null> {
    const query = { name: 'get-untold', text: GET_UNTOLD, values: [runId] };
    return (await this.pool.query<EndedChild>(query)).rows[0] ?? null;
  }

  private async endingOf({ id, status, message }: EndedChild): Promise<WaitEnding> {
    const response = await findResponse(this.pool, id);
    const why = status !== 'SUCCEEDED' && message ? { message } : {};
    return { kind: 'child', runId: id, status, response, ...why };
  }
}

const NOTHING_MORE: Told = { jobs: [], next: null };

/** `ending` is null when the parent did not wait for the child a moment ago. */
async function tell(tx: Queryable, child: EndedChild, ending: WaitEnding | null): Promise<Told> {
  const parentId = child.parent_run_id;
  const status = await lockRun(tx, parentId);
  const requestId = await findChildWait(tx, child);
  if (requestId !== null && !ending && isUnderWay(status)) return { ...NOTHING_MORE, next: child.id };
  const marked = await tx.query({ name: 'mark-told', text: MARK_TOLD, values: [child.id] });
  if (marked.rowCount !== 1 || !isUnderWay(status)) return NOTHING_MORE;
  if (requestId !== null && ending) {
    await endWait(tx, parentId, requestId, ending);
    return { ...NOTHING_MORE, jobs: await resumeRuns(tx, [parentId]) };
  }
  if (!child.fail_parent_on_failure || child.status === 'SUCCEEDED') return NOTHING_MORE;
  const reason = failedByChild(child.id, child.status, child.message);
  const failure = failureByChild(parentId, child.started_by_step, reason);
  await endRuns(tx, [parentId], 'FAILED', reason, failure);
  await announceStopped(tx, [parentId]);
  const failed = { runId: parentId, status: 'FAILED', reason: `Its child run ${child.id} did not succeed.` } as const;
  return { ...NOTHING_MORE, next: parentId, failed };
}

async function findChildWait(tx: Queryable, child: EndedChild): Promise<string | null> {
  const query = { name: 'find-child-wait', text: FIND_WAIT, values: [child.id, child.parent_run_id] };
  return (await tx.query<{ request_id: string }>(query)).rows[0]?.request_id ?? null;
}

/** Returns the failed step of the parent: the step that started the child, or null when no step did. */
function failureByChild(parentId: string, startedBy: string | null, message: string): StoredFailure | null {
  // The key of a step is `<run id>:<path>`. A step that starts several runs puts a slash and what tells them apart behind.
  if (!startedBy?.startsWith(`${parentId}:`)) return null;
  const [path = ''] = startedBy.slice(parentId.length + 1).split('/', 1);
  const name = stepNameOf(path);
  return name ? { name, displayName: name, message, fingerprint: errorFingerprint(message) } : null;
}
