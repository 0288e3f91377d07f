import type { JsonText } from '../json/json-text';
import { REDACTED } from './secrets';
import type { SecretForm } from './secret-forms';

// References to values of connections. What is stored reads `**REDACTED**` where such a value stood, for every reader.
// Beside it are the places at which the mark stands for a value, and which value that is. The same mark at any other
// place is only text, so nobody makes a reference by writing one.

/** The connection, how the value is written, and the path inside of what expressions read of the connection. */
export type ValueReference = readonly [externalId: string, form: SecretForm | 'number', ...path: string[]];

export interface References {
  to: readonly ValueReference[];
  /** The offset of a mark, the index of its value in `to`, and how many characters after the mark belong to it. */
  at: readonly (readonly [offset: number, to: number, more?: number])[];
}

/** JSON text with marks in place of values. It is written as `JSON.stringify` writes. */
export interface ReferringText {
  text: JsonText;
  references: References;
}

/** Stored JSON with a mark wherever a value of a connection stood. */
export type StoredText = JsonText | ReferringText;

/** What readers see. */
export const shownText = (stored: StoredText): JsonText => (typeof stored === 'string' ? stored : stored.text);

/** The external ids of the connections that the references name. */
export const connectionsReferredBy = ({ to }: References): string[] => to.map(([externalId]) => externalId);

/** The list of several texts. */
export function joinedTexts(stored: readonly StoredText[]): StoredText {
  const to: ValueReference[] = [];
  const at: References['at'][number][] = [];
  let length = 1;
  for (const each of stored) {
    if (typeof each !== 'string') {
      const { references } = each;
      for (const [offset, index, ...more] of references.at) at.push([offset + length, index + to.length, ...more]);
      to.push(...references.to);
    }
    length += shownText(each).length + 1;
  }
  const text = `[${stored.map(shownText).join(',')}]`;
  return at.length === 0 ? text : { text, references: { to, at } };
}

/**
 * Puts values in the place of the marks. A mark stays when its value is null, and a place at which no mark stands is left
 * as it is.
 */
export function withValues(
  { text, references: { to, at } }: ReferringText,
  valueOf: (reference: ValueReference) => string | null,
): JsonText {
  let revealed = '';
  let copied = 0;
  for (const [offset, index, more = 0] of at) {
    const reference = to[index];
    if (!reference || offset < copied || !text.startsWith(REDACTED, offset)) continue;
    const value = valueOf(reference);
    if (value === null) continue;
    const isNumber = reference[1] === 'number' && isJsonNumber(value);
    const quote = isNumber ? 1 : 0;
    revealed += text.slice(copied, offset - quote) + (isNumber ? value : JSON.stringify(value).slice(1, -1));
    copied = offset + REDACTED.length + more + quote;
  }
  return revealed + text.slice(copied);
}

const isJsonNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
