import { words } from './words';

/** What a text of JSON means, or why it means nothing. */
export type ReadJson = { value: unknown; problem: null } | { problem: string };

export type JsonShape = 'object' | 'list' | 'any';

/** Reads JSON that must be of a shape. An empty text is an empty value of the shape. */
export function readJson(text: string, shape: JsonShape): ReadJson {
  if (text.trim() === '') return { value: EMPTY[shape], problem: null };
  try {
    const value: unknown = JSON.parse(text);
    const isOfShape = shape === 'any' || (shape === 'list' ? Array.isArray(value) : isObject(value));
    return isOfShape ? { value, problem: null } : { problem: words.notJson(words.mustBe[shape]) };
  } catch (error) {
    return { problem: words.notJson(error instanceof Error ? error.message : String(error)) };
  }
}

const EMPTY = { object: {}, list: [], any: undefined };

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

export const jsonText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** The value of a field that takes text or JSON: a list or an object is JSON, everything else is text with expressions. */
export function valueOfText(text: string): unknown {
  if (!/^\s*(\[|\{(?!\{))/.test(text)) return text;
  const read = readJson(text, 'any');
  return read.problem === null ? read.value : text;
}

export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
