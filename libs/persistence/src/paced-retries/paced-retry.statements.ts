import type { ClaimedRetry, FlowRunFilter, PacedRetry, RetryUnderWay } from '@millrace/domain';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import type { Slice } from '../lists/page-cursor';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

const COLUMNS = `
  id, project_id as "projectId", status, filter, strategy, rate_per_second as "ratePerSecond",
  stop_after_failures as "stopAfterFailures", requested_by as "requestedBy", total, started, skipped, succeeded, failed,
  created, updated, finished`;

const PLACE = `last_id as "lastId", slice, unfinished, is_all_found as "isAllFound"`;

type ProjectIds = readonly string[] | 'any';
type Row<Retry> = Omit<Retry, 'filter'> & { filter: object };

/** How long a process holds a retry without saving it. */
const HELD = `interval '15 seconds'`;
/** The retries of a project that ended longer ago are deleted when it makes another one. */
const KEPT = `interval '30 days'`;

const visible = (projectIds: ProjectIds, values: StatementValues): string =>
  projectIds === 'any' ? 'true' : `project_id = any(${values.ids(projectIds)})`;

// The project's row is locked, so that two callers do not both make the last one that it may have.
const LOCK_PROJECT = 'select from project where id = $1 for no key update';
const FORGET_OLD = `delete from paced_retry where project_id = $1 and finished < now() - ${KEPT}`;
const OF_CALL = `select ${COLUMNS} from paced_retry where project_id = $1 and requested_by = $2 and call_key = $3`;
const COUNT_RUNNING = `select count(*)::int as count from paced_retry where project_id = $1 and status = 'RUNNING'`;
const INSERT = `
  insert into paced_retry (id, project_id, status, filter, strategy, rate_per_second, stop_after_failures, requested_by,
    call_key, total, created, updated)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`;

export async function lockProject(tx: Queryable, projectId: string): Promise<void> {
  await tx.query(LOCK_PROJECT, [projectId]);
  await tx.query(FORGET_OLD, [projectId]);
}

export async function retryOfCall(
  tx: Queryable,
  { projectId, requestedBy }: PacedRetry,
  callKey: string,
): Promise<PacedRetry | null> {
  return first(await tx.query<Row<PacedRetry>>(OF_CALL, [projectId, requestedBy, callKey]));
}

export async function countRunning(tx: Queryable, projectId: string): Promise<number> {
  return (await tx.query<{ count: number }>(COUNT_RUNNING, [projectId])).rows[0]?.count ?? 0;
}

export async function insertRetry(tx: Queryable, retry: PacedRetry, callKey: string | null): Promise<void> {
  const { id, projectId, status, filter, strategy, ratePerSecond, stopAfterFailures, requestedBy, total } = retry;
  const paced = [strategy, ratePerSecond, stopAfterFailures, requestedBy, callKey, total];
  await tx.query(INSERT, [id, projectId, status, JSON.stringify(filter), ...paced, retry.created]);
}

export async function findRetry(db: Queryable, id: string, projectIds: ProjectIds): Promise<PacedRetry | null> {
  const values = new StatementValues();
  const text = `select ${COLUMNS} from paced_retry where id = ${values.id(id)} and ${visible(projectIds, values)}`;
  return first(await db.query<Row<PacedRetry>>(text, values.all));
}

export async function listRetries(db: Queryable, projectId: string, slice: Slice): Promise<PacedRetry[]> {
  const values = new StatementValues();
  const text = `select ${COLUMNS} from paced_retry
    where project_id = ${values.id(projectId)} and ${inSlice('id', slice, values)} ${inSliceOrder('id', slice)}`;
  return (await db.query<Row<PacedRetry>>(text, values.all)).rows.map(toRetry);
}

export async function cancelRetry(db: Queryable, id: string, projectIds: ProjectIds): Promise<void> {
  const values = new StatementValues();
  const text = `update paced_retry set status = 'CANCELLED', finished = now(), updated = now()
    where id = ${values.id(id)} and status = 'RUNNING' and ${visible(projectIds, values)}`;
  await db.query(text, values.all);
}

const CLAIM = `
  update paced_retry set claimed_until = now() + ${HELD}, claim_epoch = claim_epoch + 1
  where id = (
    select id from paced_retry where status = 'RUNNING' and (claimed_until is null or claimed_until < now())
    order by id limit 1 for update skip locked)
  returning ${COLUMNS}, ${PLACE}, claim_epoch as epoch`;

export async function claimRetry(db: Queryable): Promise<ClaimedRetry | null> {
  const { rows } = await db.query<Row<RetryUnderWay> & { epoch: number }>({ name: 'claim-paced-retry', text: CLAIM });
  const [row] = rows;
  if (!row) return null;
  const { epoch, ...retry } = row;
  return { epoch, retry: toRetry(retry) };
}

const SAVE = `
  update paced_retry
  set status = $3, started = $4, skipped = $5, succeeded = $6, failed = $7, last_id = $8, slice = $9::uuid[],
    unfinished = $10::uuid[], is_all_found = $11, updated = now(), claimed_until = now() + ${HELD},
    finished = case when $3 = 'RUNNING' then null else now() end
  where id = $1 and claim_epoch = $2 and status = 'RUNNING'`;

export async function saveRetry(db: Queryable, epoch: number, retry: RetryUnderWay): Promise<boolean> {
  const { id, status, started, skipped, succeeded, failed, lastId, slice, unfinished, isAllFound } = retry;
  const counts = [started, skipped, succeeded, failed];
  const place = [lastId, plainArray(slice), plainArray(unfinished), isAllFound];
  const query = { name: 'save-paced-retry', text: SAVE, values: [id, epoch, status, ...counts, ...place] };
  return (await db.query(query)).rowCount === 1;
}

const RELEASE = 'update paced_retry set claimed_until = now() where id = $1 and claim_epoch = $2';

export async function releaseRetry(db: Queryable, { epoch, retry }: ClaimedRetry): Promise<void> {
  await db.query(RELEASE, [retry.id, epoch]);
}

const first = ({ rows: [row] }: { rows: Row<PacedRetry>[] }): PacedRetry | null => (row ? toRetry(row) : null);

/** JSON has texts in place of the times of the filter. */
function toRetry<Retry extends PacedRetry>({ filter, ...row }: Row<Retry>): Retry {
  const { createdAfter, createdBefore, ...rest } = filter as FlowRunFilter &
    Record<'createdAfter' | 'createdBefore', string>;
  const revived: FlowRunFilter = {
    ...rest,
    ...(createdAfter === undefined ? {} : { createdAfter: new Date(createdAfter) }),
    ...(createdBefore === undefined ? {} : { createdBefore: new Date(createdBefore) }),
  };
  return { ...row, filter: revived } as unknown as Retry;
}
