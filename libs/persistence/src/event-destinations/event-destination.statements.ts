import type { EventDelivery, EventDestination } from '@millrace/domain';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import type { Slice } from '../lists/page-cursor';
import type { Queryable } from '../postgres/in-transaction';

const DESTINATION = `
  id, project_id as "projectId", url, events, status, status_reason as "statusReason", status_since as "statusSince",
  failing_since as "failingSince", created, updated`;

const DELIVERY = `
  id, event_id as "eventId", type, status, attempts, response_status as "responseStatus", error, created,
  last_attempt as "lastAttempt", next_attempt as "nextAttempt"`;

type ProjectIds = readonly string[] | 'any';

const visible = (projectIds: ProjectIds, values: StatementValues): string =>
  projectIds === 'any' ? 'true' : `project_id = any(${values.ids(projectIds)})`;

/** Finds the destination. Only `lock` locks it. */
export async function findDestination(
  db: Queryable,
  id: string,
  projectIds: ProjectIds,
  lock: '' | 'for update' = '',
): Promise<(EventDestination & { secret: Buffer }) | null> {
  const values = new StatementValues();
  const text = `select ${DESTINATION}, secret from event_destination
    where id = ${values.id(id)} and ${visible(projectIds, values)} ${lock}`;
  return (await db.query<EventDestination & { secret: Buffer }>(text, values.all)).rows[0] ?? null;
}

export async function listDestinations(db: Queryable, projectId: string, slice: Slice): Promise<EventDestination[]> {
  const values = new StatementValues();
  const text = `select ${DESTINATION} from event_destination
    where project_id = ${values.id(projectId)} and ${inSlice('id', slice, values)} ${inSliceOrder('id', slice)}`;
  return (await db.query<EventDestination>(text, values.all)).rows;
}

export async function listDeliveries(db: Queryable, destinationId: string, slice: Slice): Promise<EventDelivery[]> {
  const values = new StatementValues();
  const text = `select ${DELIVERY} from event_delivery
    where destination_id = ${values.id(destinationId)} and ${inSlice('id', slice, values)} ${inSliceOrder('id', slice)}`;
  return (await db.query<EventDelivery>(text, values.all)).rows;
}

// The project's row is locked, so that two callers do not both make the last destination that it may have.
const LOCK_PROJECT = 'select from project where id = $1 for no key update';
const COUNT = 'select count(*)::int as count from event_destination where project_id = $1';

export async function countDestinations(tx: Queryable, projectId: string): Promise<number> {
  await tx.query(LOCK_PROJECT, [projectId]);
  return (await tx.query<{ count: number }>(COUNT, [projectId])).rows[0]?.count ?? 0;
}

const INSERT = `
  insert into event_destination (id, project_id, url, events, secret, status, status_since, created, updated)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export async function insertDestination(tx: Queryable, destination: EventDestination, secret: Buffer): Promise<void> {
  const { id, projectId, url, events, status, statusSince, created, updated } = destination;
  await tx.query(INSERT, [id, projectId, url, events, secret, status, statusSince, created, updated]);
}

const UPDATE = `
  update event_destination set url = $2, events = $3, status = $4, status_reason = $5, status_since = $6,
    failing_since = $7, updated = $8
  where id = $1`;

export async function updateDestination(tx: Queryable, destination: EventDestination): Promise<void> {
  const { id, url, events, status, statusReason, statusSince, failingSince, updated } = destination;
  await tx.query(UPDATE, [id, url, events, status, statusReason, statusSince, failingSince, updated]);
}

export async function deleteDestination(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from event_destination where id = $1', [id]);
  await tx.query('delete from event_delivery where destination_id = $1', [id]);
}

const REDELIVER = `
  update event_delivery set status = 'PENDING', attempts = 0, next_attempt = $3
  where id = $1 and destination_id = $2
  returning ${DELIVERY}`;

export async function redeliver(
  db: Queryable,
  destinationId: string,
  deliveryId: string,
  now: Date,
): Promise<EventDelivery | null> {
  return (await db.query<EventDelivery>(REDELIVER, [deliveryId, destinationId, now])).rows[0] ?? null;
}
