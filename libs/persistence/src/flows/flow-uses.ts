import { agentsUsedBy, connectionsUsedBy, type Flow, type FlowVersion } from '@millrace/domain';
import type { EntityManager, QueryRunner } from 'typeorm';

// The connections and agents that the latest version of each flow uses. They are a table, so that the flows which use
// one of them are found in order.

export type FlowUseKind = 'CONNECTION' | 'AGENT';

/** An entry of the index must fit a page. No connection or agent has an id as long as this. */
const LONGEST_ID = 500;

const FORGET = 'delete from flow_use where flow_id = $1';

const SAVE = `
  insert into flow_use (flow_id, project_id, kind, external_id)
  select $1, $2, * from unnest($3::text[], $4::text[])`;

/** Writes the uses in the transaction that changes the flow and has locked its row. `before` was the latest version. */
export async function writeFlowUses(
  tx: Pick<EntityManager | QueryRunner, 'query'>,
  flow: Pick<Flow, 'id' | 'projectId'>,
  latest: FlowVersion,
  before: FlowVersion | null,
): Promise<void> {
  if (latest.trigger === before?.trigger) return;
  const [uses, usesBefore] = [usesOf(latest), before ? usesOf(before) : []];
  if (JSON.stringify(uses) === JSON.stringify(usesBefore)) return;
  if (usesBefore.length > 0) await tx.query(FORGET, [flow.id]);
  if (uses.length === 0) return;
  await tx.query(SAVE, [flow.id, flow.projectId, uses.map(([kind]) => kind), uses.map(([, id]) => id)]);
}

const usesOf = (version: FlowVersion): [FlowUseKind, string][] => [
  ...storable('CONNECTION', connectionsUsedBy(version)),
  ...storable('AGENT', agentsUsedBy(version)),
];

const storable = (kind: FlowUseKind, externalIds: readonly string[]): [FlowUseKind, string][] =>
  externalIds.filter((id) => id.length <= LONGEST_ID && !id.includes('\0')).map((id) => [kind, id]);
