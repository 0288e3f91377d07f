import { isId, type FlowSurroundings, type FlowVersion, type PieceRef } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { FlowVersionEntity } from './flow-version.entity';
import { toVersion } from './flow.mapper';
import { knownSecretsOf } from './trigger-secret.statements';

/**
 * The first key of an advisory lock. It may be any number that is the same in every process. The project is the second.
 */
const ENABLING_LOCK = 7_203_117;

const IS_MEMBER = `
  select from app_user
  where id = $1
    and (platform_role = 'ADMIN' or exists (select from project_member where user_id = app_user.id and project_id = $2))`;

/** Whoever removes a package locks its row for an update, counts the flows that use it, and waits here for this one. */
const KEEP_PACKAGES = `
  select name, version from piece_package
  where (name, version) in (select * from unnest($1::text[], $2::text[])) and state = 'INSTALLED'
  order by id for key share`;

/**
 * Reads in the transaction that holds the flow's lock. A second connection might not become free before this one does.
 */
export function surroundingsOf(tx: EntityManager, flow: { id: string; projectId: string }): FlowSurroundings {
  return {
    countEnabled: async () => {
      // When two flows are enabled at once, the second waits here and then counts the first.
      await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [ENABLING_LOCK, flow.projectId]);
      const [row]: { count: number }[] = await tx.query(
        `select count(*)::int as count from flow where project_id = $1 and status = 'ENABLED'`,
        [flow.projectId],
      );
      return row?.count ?? 0;
    },
    findVersion: (versionId) => findVersionOf(tx, flow.id, versionId),
    hasFolder: (folderId) =>
      exists(tx, 'select from folder where id = $1 and project_id = $2 for key share', folderId, flow.projectId),
    knownSecrets: (ids) => knownSecretsOf(tx, flow.id, ids),
    keepPackages: (refs) => {
      const values = [refs.map(({ name }) => name), refs.map(({ version }) => version)];
      return tx.query<PieceRef[]>(KEEP_PACKAGES, values);
    },
    hasMember: (userId) => exists(tx, IS_MEMBER, userId, flow.projectId),
  };
}

export async function findVersionOf(
  manager: EntityManager,
  flowId: string,
  versionId: string,
): Promise<FlowVersion | null> {
  const row = isId(versionId) ? await manager.findOneBy(FlowVersionEntity, { id: versionId, flowId }) : null;
  return row && toVersion(row);
}

async function exists(tx: EntityManager, query: string, id: string, projectId: string): Promise<boolean> {
  if (!isId(id)) return false;
  const rows: unknown[] = await tx.query(query, [id, projectId]);
  return rows.length > 0;
}
