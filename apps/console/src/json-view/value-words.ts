import { isContainer, sizeOf } from './json-nodes';
import { words } from './words';

const MOST_LETTERS = 80;

/** The value in at most a line: texts are cut, and of lists and objects only the size is said. */
export function briefly(value: unknown): string {
  if (Array.isArray(value)) return words.items(value.length);
  if (isContainer(value)) return words.keys(sizeOf(value));
  if (typeof value !== 'string') return value === undefined ? words.nothing : JSON.stringify(value);
  return value.length > MOST_LETTERS ? `${JSON.stringify(value.slice(0, MOST_LETTERS))}…` : JSON.stringify(value);
}

/** What kind of value it is, in a word. */
export function typeWord(value: unknown): string {
  if (value === null || value === undefined) return words.nothing;
  if (Array.isArray(value)) return words.types.list;
  return words.types[typeof value as keyof typeof words.types] ?? typeof value;
}

/** The value as JSON in one line, of which a long one shows only the beginning. */
export function shortJson(value: unknown, most: number): string {
  const json = JSON.stringify(value) ?? words.nothing;
  return json.length > most ? `${json.slice(0, most)}…` : json;
}
