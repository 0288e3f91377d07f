const MOST_MS = 3_600_000;

/** Returns the wait of a `retry-after` header in milliseconds, at most an hour; undefined when it cannot be read. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MOST_MS);
}

/** An HTTP date begins with a weekday. Date.parse would also read texts such as "-1" as dates. */
const dateOf = (text: string): number => (/^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN);
