import { shownText, storableJson, type StoredTexts, type StoreWrite } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';

/**
 * The value, when the key may be written with it. A key is shown to everybody who reads the store, and read by flows that
 * know no connection, so it has no value of one. A key that has one can still be removed.
 */
export function assertStorable<Value>(key: string, value: Value, texts: StoredTexts): Value {
  if (value === null || typeof texts.hide(JSON.stringify(key)) === 'string') return value;
  throw new ActionFailure(
    'The key of the store has a value of a connection, and everybody who reads the store sees its keys: use another key.',
  );
}

/** The write of a value, given as JSON, with references in place of the values of connections. */
export function storeWrite(
  place: Pick<StoreWrite, 'scope' | 'key'>,
  text: string,
  texts: Pick<StoredTexts, 'hide'>,
): StoreWrite {
  const stored = texts.hide(storableJson(text));
  const references = typeof stored === 'string' ? {} : { references: stored.references };
  return { ...place, value: JSON.parse(shownText(stored)) as unknown, ...references };
}
