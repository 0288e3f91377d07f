import type { Connection, ConnectionValue } from '@millrace/domain';
import type { SecretBox, SecretPlace } from '../secrets/secret-box';

type Place = Pick<Connection, 'id' | 'projectId' | 'externalId'>;

export const sealValue = (box: SecretBox, place: Place, value: ConnectionValue): Promise<Buffer> =>
  box.seal(JSON.stringify(value), connectionPlace(place));

/** Opens a sealed value. Throws UnreadableSecretError when the bytes were changed, or sealed for another connection. */
export const openValue = async (box: SecretBox, place: Place, sealed: Buffer): Promise<ConnectionValue> =>
  JSON.parse(await box.open(sealed, connectionPlace(place))) as ConnectionValue;

/** The external id is bound too, because expressions find the value by it. */
export function connectionPlace({ id, projectId, externalId }: Place): SecretPlace {
  const project = projectId.toLowerCase();
  return {
    name: `the value of the connection ${externalId}`,
    table: 'connection',
    row: [id.toLowerCase(), externalId],
    projectId: project,
    purpose: 'secrets',
    formerContext: `connection:${project}:${externalId}`,
  };
}
