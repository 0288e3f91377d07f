import { referredSecrets, type FlowVersion, type TriggerSecret } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import type { SecretBox } from '../secrets/secret-box';
import { sealSecret } from './sealed-trigger-secret';

const SAVE = `
  insert into trigger_secret (flow_id, project_id, id, value)
  select $1, $2, * from unnest($3::uuid[], $4::bytea[])`;

/** A version that refers to a secret has its id in the text of the input. */
const FORGET_UNUSED = `
  delete from trigger_secret secret
  where flow_id = $1 and id = any($2::uuid[]) and not exists (
    select from flow_version version
    where version.flow_id = $1 and position(secret.id::text in version.trigger_input::text) > 0)`;

/**
 * Seals and writes those of the secrets to which the version refers, in the transaction that writes it. A version that
 * an operation did not change may refer to none of them.
 */
export async function saveTriggerSecrets(
  tx: EntityManager,
  box: SecretBox,
  projectId: string,
  { flowId, trigger }: FlowVersion,
  made: readonly TriggerSecret[],
): Promise<void> {
  if (made.length === 0) return;
  const referred = referredSecrets(trigger.settings['input']);
  const secrets = made.filter(({ id }) => referred.has(id));
  const sealed = await Promise.all(secrets.map(({ id, value }) => sealSecret(box, { projectId, flowId, id }, value)));
  await tx.query(SAVE, [flowId, projectId, secrets.map(({ id }) => id), sealed]);
}

/**
 * Deletes the secrets to which the draft referred before a change, if no version refers to them any more. It is called
 * in the transaction that has written the change.
 */
export async function forgetUnusedSecrets(
  tx: EntityManager,
  flowId: string,
  before: FlowVersion,
  after: FlowVersion,
): Promise<void> {
  if (before.trigger === after.trigger) return;
  const still = referredSecrets(after.trigger.settings['input']);
  const gone = [...referredSecrets(before.trigger.settings['input'])].filter((id) => !still.has(id));
  if (gone.length > 0) await tx.query(FORGET_UNUSED, [flowId, gone]);
}

/** Those of the ids that are the ids of secrets of the flow. */
export async function knownSecretsOf(
  tx: EntityManager,
  flowId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const find = 'select id from trigger_secret where flow_id = $1 and id = any($2::uuid[])';
  const rows: { id: string }[] = await tx.query(find, [flowId, ids]);
  return new Set(rows.map(({ id }) => id));
}
