export const REDACTED = '**REDACTED**';

/** A shorter text is too likely to be part of an innocent word. */
const SHORTEST_SECRET = 4;

/** Every text inside a connection's value, as it is and as JSON writes it, the longest first. */
export function secretsIn(value: unknown): string[] {
  const secrets = new Set<string>();
  for (const text of textsIn(value)) if (text.length >= SHORTEST_SECRET) secrets.add(text).add(asInJson(text));
  return [...secrets].sort((first, second) => second.length - first.length);
}

/** The text with every secret replaced. The secrets come as `secretsIn` gives them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}

const asInJson = (text: string): string => JSON.stringify(text).slice(1, -1);
