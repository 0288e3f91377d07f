export const REDACTED = '**REDACTED**';

/** Shorter texts are not masked, because they are likely to be part of ordinary words. */
const SHORTEST_SECRET = 4;

/** Every text inside a connection's value, both as it is and as JSON escapes it. The longest text comes first. */
export function secretsIn(value: unknown): string[] {
  const secrets = new Set<string>();
  for (const text of textsIn(value)) if (text.length >= SHORTEST_SECRET) secrets.add(text).add(asInJson(text));
  return [...secrets].sort((first, second) => second.length - first.length);
}

/** Replaces every secret in the text. The secrets must be ordered as `secretsIn` returns them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}

const asInJson = (text: string): string => JSON.stringify(text).slice(1, -1);
