import type { AppListening } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { storableText } from '../postgres/stored-json';

const FORGET = 'delete from app_listener where flow_id = $1';
/** A flow that was deleted meanwhile listens to nothing. */
const INSERT = `
  insert into app_listener (flow_id, piece_name, event, identifier_value)
  select flow.id, listening.piece_name, listening.event, listening.identifier_value
  from flow, unnest($2::text[], $3::text[], $4::text[]) as listening (piece_name, event, identifier_value)
  where flow.id = $1
  on conflict do nothing`;

/** Says to which events of apps a flow listens, in place of what it listened to before. */
export async function replaceListeners(
  tx: Queryable,
  flowId: string,
  listening: readonly AppListening[],
): Promise<void> {
  await tx.query(FORGET, [flowId]);
  if (listening.length === 0) return;
  const columns = (['pieceName', 'event', 'identifierValue'] as const).map((name) =>
    listening.map((each) => storableText(each[name])),
  );
  await tx.query(INSERT, [flowId, ...columns]);
}
