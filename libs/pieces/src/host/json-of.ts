import type { JsonText } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';

/** Throws ActionFailure for what JSON has no place for: a function, a cycle, a BigInt. Nothing is null. */
export function jsonOf(value: unknown, what: 'output' | 'payload'): JsonText {
  const text = writtenAsJson(value ?? null);
  if (text === undefined) throw new ActionFailure(`The ${what} of the action is not JSON.`);
  return text;
}

function writtenAsJson(value: unknown): JsonText | undefined {
  try {
    return JSON.stringify(value) as JsonText | undefined;
  } catch {
    return undefined;
  }
}
