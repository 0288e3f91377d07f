import type { EventDestination } from '@millrace/domain';
import type { SecretBox, SecretPlace } from '../secrets/secret-box';

// The signing secret of a destination at rest.

type Place = Pick<EventDestination, 'id' | 'projectId'>;

export const sealEventSecret = (box: SecretBox, place: Place, secret: string): Promise<Buffer> =>
  box.seal(secret, eventSecretPlace(place));

/** Throws UnreadableSecretError when the bytes were changed, or sealed for another destination. */
export const openEventSecret = (box: SecretBox, place: Place, sealed: Buffer): Promise<string> =>
  box.open(sealed, eventSecretPlace(place));

export const eventSecretPlace = ({ id, projectId }: Place): SecretPlace => ({
  name: `the secret of the event destination ${id}`,
  table: 'event_destination',
  row: [id.toLowerCase()],
  projectId: projectId.toLowerCase(),
  purpose: 'secrets',
  formerContext: `event destination:${id}`,
});
