import {
  currentActor,
  firstIdAt,
  storableJson,
  type AuditActor,
  type ConnectionUsage,
  type NewAuditEvent,
} from '@millrace/domain';
import { newId } from '../postgres/new-id';
import type { Queryable } from '../postgres/in-transaction';
import { storableText } from '../postgres/stored-json';

/** A pool, or a transaction of TypeORM or of the driver. */
interface Writable {
  query(text: string, values: unknown[]): Promise<unknown>;
}

const INSERT = `
  insert into audit_event (id, created, project_id, actor, address, action, target_type, target_id, details)
  values ($1, now(), $2, $3, $4, $5, $6, $7, $8)`;

/** Writes an event, in the transaction of its change where there is one. */
export async function insertAuditEvent(
  db: Writable,
  { projectId, action, targetType, targetId, details }: NewAuditEvent,
  { actor, address }: AuditActor = currentActor(),
): Promise<void> {
  const facts = storableJson(JSON.stringify(details));
  await db.query(INSERT, [newId(), projectId, actor, address, action, targetType, storableText(targetId), facts]);
}

// A use within the last hour may have been written by another process. Two that write at the same moment may both.
const INSERT_USES = `
  insert into audit_event (id, created, project_id, actor, address, action, target_type, target_id, details)
  select id, now(), project_id, 'service', null, 'connection.used', 'connection', connection_id,
         json_build_object('externalId', external_id, 'flowId', flow_id)
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
    as use (id, project_id, connection_id, external_id, flow_id)
  where not exists (
    select from audit_event earlier
    where earlier.target_id = use.connection_id and earlier.id >= $6 and earlier.action = 'connection.used'
      and earlier.details ->> 'flowId' = use.flow_id)`;

const HOUR_MS = 3_600_000;

export async function insertConnectionUses(db: Writable, uses: readonly ConnectionUsage[], now: Date): Promise<void> {
  await db.query(INSERT_USES, [
    uses.map(() => newId()),
    uses.map(({ projectId }) => projectId),
    uses.map(({ connectionId }) => connectionId),
    uses.map(({ externalId }) => storableText(externalId)),
    uses.map(({ flowId }) => flowId),
    firstIdAt(new Date(now.getTime() - HOUR_MS)),
  ]);
}

const DELETED_AT_ONCE = 5_000;
const ALLOW_DELETE = `set local millrace.audit_retention = 'on'`;
// The ids are in order of creation.
const DELETE_OLD = `
  delete from audit_event where id = any(array(select id from audit_event where id < $1 order by id limit $2))`;

/** Deletes some of the events that are older than the log keeps them, in a transaction. Returns how many. */
export async function deleteOldAuditEvents(tx: Queryable, before: Date): Promise<number> {
  await tx.query(ALLOW_DELETE);
  return (await tx.query(DELETE_OLD, [firstIdAt(before), DELETED_AT_ONCE])).rowCount ?? 0;
}
