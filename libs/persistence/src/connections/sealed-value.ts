import type { Connection, ConnectionValue } from '@millrace/domain';
import type { SecretBox } from '../secrets/secret-box';

type Place = Pick<Connection, 'projectId' | 'externalId'>;

export const sealValue = (box: SecretBox, place: Place, value: ConnectionValue): Buffer =>
  box.seal(JSON.stringify(value), contextOf(place));

/** Opens a sealed value. Throws when the bytes were sealed for another connection or with another key. */
export const openValue = (box: SecretBox, place: Place, sealed: Buffer): ConnectionValue =>
  JSON.parse(box.open(sealed, contextOf(place))) as ConnectionValue;

const contextOf = ({ projectId, externalId }: Place): string => `connection:${projectId.toLowerCase()}:${externalId}`;
