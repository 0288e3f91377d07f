// A moment in a field of the browser, which has the time of the person's own zone, and as flows have it: ISO 8601.

const ZONELESS = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Returns null for what is no moment. A text without a time zone means UTC, as in runs. */
export function momentOf(value: unknown): Date | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const isZoneless = typeof value === 'string' && ZONELESS.test(value);
  const moment = new Date(isZoneless ? `${value.replace(' ', 'T')}Z` : value);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** The text that a field of the type `datetime-local` shows. */
export const localText = (moment: Date): string =>
  `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}` +
  `T${two(moment.getHours())}:${two(moment.getMinutes())}${moment.getSeconds() === 0 ? '' : `:${two(moment.getSeconds())}`}`;

/** What the field says, as ISO 8601; undefined for an empty or half-typed one. */
export function isoOfLocal(text: string): string | undefined {
  const moment = text === '' ? null : new Date(text);
  return moment && !Number.isNaN(moment.getTime()) ? moment.toISOString() : undefined;
}
