import { MOST_TRIGGER_EVENTS } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';

/** Larger events are not kept; the last one is still the sample data of its trigger. */
const MOST_BYTES = 1024 * 1024;

const INSERT = `
  insert into trigger_event (id, flow_id, payload, created)
  select $1, id, $3, now() from flow where id = $2`;

const PRUNE = `
  delete from trigger_event where flow_id = $1 and id in (
    select id from trigger_event where flow_id = $1 order by id desc offset ${MOST_TRIGGER_EVENTS})`;

/** Keeps the last events of a flow in the transaction that has locked it. */
export async function writeTriggerEvents(tx: Queryable, flowId: string, payloads: readonly Buffer[]): Promise<void> {
  const kept = payloads.filter(({ length }) => length <= MOST_BYTES).slice(-MOST_TRIGGER_EVENTS);
  for (const payload of kept) await tx.query(INSERT, [newId(), flowId, payload]);
  if (kept.length > 0) await tx.query(PRUNE, [flowId]);
}
