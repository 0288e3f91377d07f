import type { ApiKey, AuditAction, NewAuditEvent } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { insertAuditEvent } from '../audit/audit-event.statements';

type AuditedKey = Pick<ApiKey, 'id' | 'projectId' | 'displayName' | 'role'>;

/**
 * Deletes the keys that the condition selects, and what they have made, down to the last. The audit log tells of each.
 */
export async function revokeKeys(tx: EntityManager, condition: string, values: unknown[]): Promise<void> {
  const [revoked] = await tx.query<[AuditedKey[], number]>(
    `with recursive revoked as (
       select id from api_key where ${condition}
       union select made.id from api_key made join revoked on made.made_by_key_id = revoked.id)
     delete from api_key where id in (select id from revoked)
     returning id, project_id as "projectId", display_name as "displayName", role`,
    values,
  );
  for (const key of revoked) await insertAuditEvent(tx, keyEvent(key, 'api_key.deleted'));
}

/** The line of the audit log about a key. */
export const keyEvent = ({ id, projectId, displayName, role }: AuditedKey, action: AuditAction): NewAuditEvent => ({
  projectId,
  action,
  targetType: 'api_key',
  targetId: id,
  details: { displayName, role },
});
