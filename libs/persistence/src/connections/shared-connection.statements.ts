import { readAs, UnreadableSecretError, type ConnectionValue } from '@millrace/domain';
import type { Send } from '../postgres/send';
import { storableText } from '../postgres/stored-json';
import type { SecretBox, SecretPlace } from '../secrets/secret-box';
import { openValue } from './sealed-value';

// Writes what is shared of connections with the gateway.
//
// W1. Whoever changes a connection, or shares one, does so under the lock of the project, so that no change is missed.
// W2. Nobody asks the hot pool for anything while it holds the lock: all connections of the pool may be waiting for it.
//     So the data keys are loaded before.

/**
 * The first key of an advisory lock. It may be any number that is the same in every process. The project is the second.
 */
const SHARING_LOCK = 1_790_764;

const LOCK = 'select pg_advisory_xact_lock($1, hashtext($2))';
const FIND = `
  select id, external_id as "externalId", value from connection
  where project_id = $1 and external_id = any($2::text[]) order by external_id`;
const INSERT = `
  insert into shared_connection (project_id, external_id, value)
  select $1, * from unnest($2::text[], $3::bytea[]) where exists (select from project where id = $1)
  on conflict do nothing`;
const REPLACE = 'update shared_connection set value = $3 where project_id = $1 and external_id = $2';

/** An entry of the index must fit a page. */
const LONGEST_NAME = 500;

interface Place {
  projectId: string;
  externalId: string;
}

/** A stored connection of a project. */
export interface SealedConnection {
  id: string;
  externalId: string;
  value: Buffer;
}

/** Holds other changes of what is shared in the project off until the transaction ends. */
export async function lockSharing(send: Send, projectId: string): Promise<void> {
  await send(LOCK, [SHARING_LOCK, projectId.toLowerCase()]);
}

/** The same in a transaction that seals and opens under the lock. */
export async function lockSharingWithKeys(send: Send, box: SecretBox, projectId: string): Promise<void> {
  const owner = projectId.toLowerCase();
  const keys = [box.prepare('secrets', owner), box.prepare('webhooks', owner)];
  await Promise.all(keys.map((loaded) => loaded.catch(nullIfUnreadable)));
  await lockSharing(send, owner);
}

export const findSealed = (
  send: Send,
  projectId: string,
  externalIds: readonly string[],
): Promise<SealedConnection[]> => send<SealedConnection>(FIND, [projectId, externalIds]);

/** What is to be shared of the connections, by external id; null for those whose value does not open. */
export async function sealForGateway(
  box: SecretBox,
  projectId: string,
  connections: readonly SealedConnection[],
): Promise<ReadonlyMap<string, Buffer | null>> {
  const sealed = connections.map(async ({ id, externalId, value }) => {
    const plain = await openValue(box, { id, projectId, externalId }, value).catch(nullIfUnreadable);
    return [externalId, plain && (await sealShared(box, { projectId, externalId }, plain))] as const;
  });
  return new Map(await Promise.all(sealed));
}

/** Shares these connections, and keeps what is shared already. It is called under the lock. */
export async function insertShared(
  send: Send,
  projectId: string,
  externalIds: readonly string[],
  sealed: ReadonlyMap<string, Buffer | null>,
): Promise<void> {
  const values = externalIds.map((externalId) => sealed.get(externalId) ?? null);
  await send(INSERT, [projectId, externalIds, values]);
}

/** Shares connections in a transaction that makes the gateway need them. */
export async function shareWithGateway(
  send: Send,
  box: SecretBox,
  projectId: string,
  externalIds: readonly string[],
): Promise<void> {
  const names = storableNames(externalIds);
  if (names.length === 0) return;
  await lockSharingWithKeys(send, box, projectId);
  const connections = await findSealed(send, projectId, names);
  await insertShared(send, projectId, names, await sealForGateway(box, projectId, connections));
}

/**
 * Replaces what is shared of a connection, if it is shared. `sealed` is null when the connection is deleted. It is called
 * under the lock, in the transaction that changes the connection.
 */
export async function replaceShared(
  send: Send,
  { projectId, externalId }: Place,
  sealed: Buffer | null,
): Promise<void> {
  await send(REPLACE, [projectId, externalId, sealed]);
}

/** Null when the data key for webhooks was damaged: connections do not need it. */
export const sealShared = (box: SecretBox, place: Place, value: ConnectionValue): Promise<Buffer | null> =>
  box.seal(JSON.stringify(readAs(value)), sharedPlace(place)).catch(nullIfUnreadable);

/** The names as they are stored, each once. No connection has a name that no index could hold. */
export const storableNames = (externalIds: readonly string[]): string[] => [
  ...new Set(externalIds.map(storableText).filter(({ length }) => length <= LONGEST_NAME)),
];

export const sharedPlace = ({ projectId, externalId }: Place): SecretPlace => ({
  name: `what is shared of the connection ${externalId}`,
  table: 'shared_connection',
  row: [externalId],
  projectId: projectId.toLowerCase(),
  purpose: 'webhooks',
  formerContext: '',
});

function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableSecretError) return null;
  throw error;
}
