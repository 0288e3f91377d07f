import type { SecretBox } from '../secrets/secret-box';

interface Place {
  flowId: string;
  id: string;
}

export const sealSecret = (box: SecretBox, place: Place, secret: string): Buffer => box.seal(secret, contextOf(place));

/** Opens a sealed secret. Throws when the bytes were sealed for another flow or with another key. */
export const openSecret = (box: SecretBox, place: Place, sealed: Buffer): string => box.open(sealed, contextOf(place));

const contextOf = ({ flowId, id }: Place): string => `trigger secret:${flowId.toLowerCase()}:${id.toLowerCase()}`;
