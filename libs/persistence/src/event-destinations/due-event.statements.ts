import {
  DESTINATION_LEASE_SECONDS,
  FAILED_TOO_LONG,
  LONGEST_FAILURE_MS,
  type DestinationClaim,
  type SettledAttempt,
} from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { storableText } from '../postgres/stored-json';

const LEASE = `interval '${DESTINATION_LEASE_SECONDS} seconds'`;

// A project has few destinations, and most installations have none, so the statement looks at every free destination.
// The one whose last turn is the longest ago comes first.
const CLAIM = `
  with free as (
    select id from event_destination
    where status = 'ENABLED' and (claimed_until is null or claimed_until <= now())
      and exists (
        select from event_delivery
        where destination_id = event_destination.id and status = 'PENDING' and next_attempt <= $1
      )
    order by claimed_until nulls first limit $2 for no key update skip locked
  )
  update event_destination destination
  set claimed_until = now() + ${LEASE}, claim_epoch = claim_epoch + 1
  from free where destination.id = free.id
  returning destination.id as "destinationId", project_id as "projectId", claim_epoch as epoch`;

export async function claimDestinations(db: Queryable, now: Date, limit: number): Promise<DestinationClaim[]> {
  return (await db.query<DestinationClaim>({ name: 'claim-destinations', text: CLAIM, values: [now, limit] })).rows;
}

const HELD = `id = $1 and claim_epoch = $2 and status = 'ENABLED'`;

const OPEN = `
  update event_destination set claimed_until = now() + ${LEASE} where ${HELD}
  returning project_id as "projectId", url, secret`;

export interface SealedTarget {
  projectId: string;
  url: string;
  secret: Buffer;
}

export async function openClaim(db: Queryable, claim: DestinationClaim): Promise<SealedTarget | null> {
  const query = { name: 'open-claim', text: OPEN, values: [claim.destinationId, claim.epoch] };
  return (await db.query<SealedTarget>(query)).rows[0] ?? null;
}

// A released destination keeps the time of its turn, for the order of claims.
const RELEASE = 'update event_destination set claimed_until = now() where id = $1 and claim_epoch = $2';

export async function releaseClaim(db: Queryable, { destinationId, epoch }: DestinationClaim): Promise<void> {
  await db.query({ name: 'release-claim', text: RELEASE, values: [destinationId, epoch] });
}

export interface StoredEvent {
  id: string;
  event_id: string;
  type: string;
  created: Date;
  data: string;
  attempts: number;
}

const FIND = `
  select id, event_id, type, created, data::text as data, attempts from event_delivery
  where destination_id = $1 and status = 'PENDING' and next_attempt <= $3 and id <> all($5::uuid[])
    and exists (select from event_destination where ${HELD})
  order by next_attempt limit $4`;

export async function findDueEvents(
  db: Queryable,
  { destinationId, epoch }: DestinationClaim,
  now: Date,
  limit: number,
  besides: readonly string[],
): Promise<StoredEvent[]> {
  const values = [destinationId, epoch, now, limit, plainArray(besides)];
  return (await db.query<StoredEvent>({ name: 'find-due-events', text: FIND, values })).rows;
}

const FAILED_LONG = `(not is_delivered and status = 'ENABLED' and coalesce(failing_since <= at - $9::interval, false))`;

// One statement for many attempts, also to several destinations. It changes the row of a destination only when that
// begins or ceases to fail, or is disabled.
const SETTLE = `
  with attempt as (
    select * from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[],
                         $7::int[], $8::text[])
      as a (destination_id, epoch, delivery_id, status, next_attempt, at, response_status, error)
  ), settled as (
    update event_delivery delivery
    set status = attempt.status, attempts = delivery.attempts + 1, next_attempt = attempt.next_attempt,
        last_attempt = attempt.at, response_status = attempt.response_status, error = attempt.error
    from attempt join event_destination held
      on held.id = attempt.destination_id and held.claim_epoch = attempt.epoch
    where delivery.id = attempt.delivery_id and delivery.destination_id = attempt.destination_id
      and delivery.status = 'PENDING'
    returning attempt.destination_id, attempt.at, attempt.status = 'DELIVERED' as is_delivered
  ), outcome as (
    select destination_id, bool_or(is_delivered) as is_delivered, min(at) as at from settled group by destination_id
  )
  update event_destination destination
  set failing_since = case when is_delivered then null else coalesce(failing_since, at) end,
      status = case when ${FAILED_LONG} then 'DISABLED' else status end,
      status_reason = case when ${FAILED_LONG} then $10 else status_reason end,
      status_since = case when ${FAILED_LONG} then at else status_since end
  from outcome
  where destination.id = outcome.destination_id
    and (is_delivered <> (failing_since is null) or ${FAILED_LONG})
  returning destination.id, destination.status = 'DISABLED' and destination.status_since = outcome.at as "isDisabled"`;

/** Returns the ids of the destinations that this has disabled. */
export async function settleAttempts(db: Queryable, attempts: readonly SettledAttempt[]): Promise<string[]> {
  const values = [
    plainArray(attempts.map(({ claim }) => claim.destinationId)),
    plainArray(attempts.map(({ claim }) => claim.epoch)),
    plainArray(attempts.map(({ deliveryId }) => deliveryId)),
    plainArray(attempts.map(({ after }) => after.status)),
    plainArray(attempts.map(({ after }) => after.nextAttempt?.toISOString() ?? 'null')),
    plainArray(attempts.map(({ at }) => at.toISOString())),
    plainArray(attempts.map(({ outcome }) => outcome.status ?? 'null')),
    attempts.map(({ outcome }) => outcome.error && storableText(outcome.error)),
    `${LONGEST_FAILURE_MS} milliseconds`,
    FAILED_TOO_LONG,
  ];
  const query = { name: 'settle-attempts', text: SETTLE, values };
  const { rows } = await db.query<{ id: string; isDisabled: boolean }>(query);
  return rows.filter(({ isDisabled }) => isDisabled).map(({ id }) => id);
}
