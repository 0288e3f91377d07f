import type { SecretBox } from '../secrets/secret-box';

// The signing secret of a destination at rest.

export const sealEventSecret = (box: SecretBox, destinationId: string, secret: string): Buffer =>
  box.seal(secret, contextOf(destinationId));

/** Throws when the bytes were sealed for another destination or with another key. */
export const openEventSecret = (box: SecretBox, destinationId: string, sealed: Buffer): string =>
  box.open(sealed, contextOf(destinationId));

const contextOf = (destinationId: string): string => `event destination:${destinationId}`;
