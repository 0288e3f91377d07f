import {
  DELIVERIES_KEPT_MS,
  firstIdAt,
  MAX_LOGGED_DELIVERIES,
  MAX_PENDING_EVENTS,
  TOO_MANY_PENDING,
} from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';

/** How many deliveries one statement deletes. */
export const EVENTS_DELETED_AT_ONCE = 5_000;

// The ids are in order of creation, so old rows are at the beginning of the primary key. Their destination may be gone.
const DELETE_OLD = `
  delete from event_delivery where id = any(array(select id from event_delivery where id < $1 order by id limit $2))`;

/** Deletes some of the deliveries that are older than the log keeps them. Returns how many. */
export async function deleteOldDeliveries(db: Queryable, now: Date): Promise<number> {
  const oldest = firstIdAt(new Date(now.getTime() - DELIVERIES_KEPT_MS));
  return (await db.query(DELETE_OLD, [oldest, EVENTS_DELETED_AT_ONCE])).rowCount ?? 0;
}

// Deliveries that wait for an attempt are kept, and count as logged.
const DELETE_SURPLUS = `
  delete from event_delivery
  where id = any(array(
    select surplus.id from event_destination destination
    cross join lateral (
      select id from event_delivery where destination_id = destination.id order by id desc offset $1 limit 1
    ) last
    cross join lateral (
      select id from event_delivery
      where destination_id = destination.id and id <= last.id and status <> 'PENDING' order by id limit $2
    ) surplus
    limit $2
  ))`;

/** Deletes some of the ended deliveries that are more than a destination's log holds. Returns how many. */
export async function deleteSurplusDeliveries(db: Queryable): Promise<number> {
  return (await db.query(DELETE_SURPLUS, [MAX_LOGGED_DELIVERIES, EVENTS_DELETED_AT_ONCE])).rowCount ?? 0;
}

// What waited before the destination was enabled is not counted: it was enabled so that this is sent.
const DISABLE_FLOODED = `
  update event_destination destination
  set status = 'DISABLED', status_reason = $2, status_since = $3
  where status = 'ENABLED' and exists (
    select from event_delivery where destination_id = destination.id and status = 'PENDING'
      and created >= destination.status_since
    order by next_attempt offset $1 limit 1
  )
  returning id`;

/** Disables the destinations for which more new events wait than may. Returns their ids. */
export async function disableFloodedDestinations(db: Queryable, now: Date): Promise<string[]> {
  const values = [MAX_PENDING_EVENTS, TOO_MANY_PENDING, now];
  return (await db.query<{ id: string }>(DISABLE_FLOODED, values)).rows.map(({ id }) => id);
}
