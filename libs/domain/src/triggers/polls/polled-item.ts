import { createHash } from 'node:crypto';
import { AS_SHOWN } from '../../connections/referring-texts';
import type { StoredText } from '../../connections/value-references';
import { isJsonObject } from '../../json/json-reader';
import type { JsonText } from '../../json/json-text';

/** An item that a poll has found. */
export interface PolledItem {
  /** Tells the items of one source apart. It has a fixed length, whatever the source calls its items. */
  key: string;
  /** The item: the output of the trigger in the run that it starts. */
  payload: StoredText;
}

/** An item as a trigger gives it. */
export interface FoundItem {
  /** What the source calls the item. An item without a name is equal to another one when their values are equal. */
  name?: string;
  value: unknown;
  /** Is compared in place of the value, where that has something that is another at each poll, as a link to a file. */
  comparedAs?: unknown;
}

/** 96 bits: among the keys that are remembered no two are equal by chance. */
const KEY_CHARACTERS = 16;

/** The item with its key. Its value must be JSON. `texts` hides the values of connections in what is stored of it. */
export function polledItem({ name, value, comparedAs = value }: FoundItem, texts = AS_SHOWN): PolledItem {
  const payload = texts.hide(JSON.stringify(value ?? null));
  return { key: fingerprint(name === undefined ? `value ${canonical(comparedAs ?? null)}` : `name ${name}`), payload };
}

/** A short text that differs when the given text differs. */
export const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);

/** The JSON text of a value with the members of its objects sorted, because sources give them in any order. */
export const canonical = (value: unknown): JsonText =>
  JSON.stringify(value, (_name, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(byName)) : member,
  );

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
