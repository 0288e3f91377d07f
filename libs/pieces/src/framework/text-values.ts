/** Returns a text unchanged and any other value as JSON text. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Turns the members of an object into texts, for headers and forms. Members that are null are left out. */
export function textValues(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const present = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, asText(value)]));
}

/** The pairs of name and text of an object's members. A list gives one pair for each item, and null gives none. */
export function* textPairs(values: Readonly<Record<string, unknown>>): Generator<[string, string]> {
  for (const [name, value] of Object.entries(values))
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      if (item !== null && item !== undefined) yield [name, asText(item)];
}

/** The JSON text of a body. A text that is JSON already is returned unchanged; any other text becomes a JSON string. */
export function jsonTextOf(body: unknown): string {
  return typeof body === 'string' && isJson(body) ? body : JSON.stringify(body);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
