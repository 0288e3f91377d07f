/** A text as it is, anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Members as headers and forms carry them. Those that are null are left out. */
export function textValues(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const present = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, asText(value)]));
}

/** As textValues, name by name; a list is its name once for each of its items. */
export function* textPairs(values: Readonly<Record<string, unknown>>): Generator<[string, string]> {
  for (const [name, value] of Object.entries(values))
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      if (item !== null && item !== undefined) yield [name, asText(item)];
}

/** Text that is JSON goes out as it was written; any other is made a JSON string. */
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
