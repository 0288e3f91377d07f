import type { JsonText } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';

/** Writes a value as JSON; undefined becomes null. Throws ActionFailure for a function, a cycle or a BigInt. */
export function jsonOf(value: unknown, what: 'output' | 'payload' | 'data'): JsonText {
  const text = writtenAsJson(value ?? null);
  if (text === undefined) throw new ActionFailure(`The ${what} of the action is not JSON.`);
  return text;
}

function writtenAsJson(value: unknown): JsonText | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
