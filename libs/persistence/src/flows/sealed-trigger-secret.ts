import type { SecretBox, SecretPlace } from '../secrets/secret-box';

interface Place {
  projectId: string;
  flowId: string;
  id: string;
}

export const sealSecret = (box: SecretBox, place: Place, secret: string): Promise<Buffer> =>
  box.seal(secret, triggerSecretPlace(place));

/** Opens a sealed secret. Throws UnreadableSecretError when the bytes were changed, or sealed for another flow. */
export const openSecret = (box: SecretBox, place: Place, sealed: Buffer): Promise<string> =>
  box.open(sealed, triggerSecretPlace(place));

export function triggerSecretPlace({ projectId, flowId, id }: Place): SecretPlace {
  const [flow, secret] = [flowId.toLowerCase(), id.toLowerCase()];
  return {
    name: `a secret of the trigger of the flow ${flow}`,
    table: 'trigger_secret',
    row: [flow, secret],
    projectId: projectId.toLowerCase(),
    purpose: 'webhooks',
    formerContext: `trigger secret:${flow}:${secret}`,
  };
}
