const MOST_MS = 3_600_000;

/** How long to wait, from seconds or an HTTP date; an hour at most, undefined when it says neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MOST_MS);
}

/** Date.parse also reads what no server means by a date, such as "-1"; an HTTP date begins with a weekday. */
const dateOf = (text: string): number => (/^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN);
