import type { StoredTexts } from '@millrace/domain';
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
