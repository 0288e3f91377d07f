import { words } from './words';

/** A value as it is compared: a text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined) return words.nothing;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
