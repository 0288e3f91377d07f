import { storableJson, type EventKind } from '@millrace/domain';
import { insertAuditEvent } from '../audit/audit-event.statements';
import { auditEventOf } from '../audit/audited-changes';
import { newId } from '../postgres/new-id';

// The rows of new events. The statement or transaction that makes a change also inserts the rows of its events, so an
// event is neither lost nor invented.

/** SQL of a new UUIDv7. PostgreSQL has a function for it only from version 18 on. */
export const NEW_ID = `
  encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid()) placing
      substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid`;

export const INSERT_DELIVERIES = `
  insert into event_delivery (id, destination_id, event_id, type, created, data, next_attempt)`;

const INSERT_EVENTS = `
  ${INSERT_DELIVERIES}
  select ${NEW_ID}, destination.id, event.id, event.type, now(), $4::json, now()
  from unnest($2::uuid[], $3::text[]) as event (id, type)
  join event_destination destination
    on destination.project_id = $1 and destination.status = 'ENABLED' and event.type = any(destination.events)`;

/** A transaction of TypeORM or of the driver. */
interface Transaction {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/**
 * Inserts the events of one change, for each enabled destination of the project that listens to them, and the lines of
 * the audit log.
 */
export async function insertEvents(
  tx: Transaction,
  projectId: string,
  kinds: readonly EventKind[],
  data: object,
): Promise<void> {
  if (kinds.length === 0) return;
  for (const kind of kinds) {
    const audited = auditEventOf(kind, projectId, data);
    if (audited) await insertAuditEvent(tx, audited);
  }
  const ids = kinds.map(() => newId());
  await tx.query(INSERT_EVENTS, [projectId, ids, [...kinds], storableJson(JSON.stringify(data))]);
}
