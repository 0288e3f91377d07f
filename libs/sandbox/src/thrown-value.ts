import type { SandboxFailure } from './sandbox-failure';

/** How the guest prelude describes a thrown value. */
export interface ThrownValue {
  name: string;
  message: string;
  stack: string;
  isNull: boolean;
  isError: boolean;
}

export function readThrown(json: string): ThrownValue {
  return JSON.parse(json, printable) as ThrownValue;
}

/**
 * Whether QuickJS threw because its memory was used up. It throws this error, or null when it has no memory left for an
 * error. A guest can throw the same values, so they count only when memory was refused to the step.
 */
export function isOutOfMemory(thrown: ThrownValue, growthRefused: boolean): boolean {
  if (!growthRefused) return false;
  return thrown.isNull || (thrown.name === 'InternalError' && thrown.message === 'out of memory');
}

/** The form of an error's name. A sentence in place of the name could read like a message about one of our limits. */
const NAME = /^[\w$.-]{1,100}$/;

export function failureOfThrown({ name: given, message: text, stack, isError }: ThrownValue): SandboxFailure {
  if (!isError) return { kind: 'threw', message: `The code threw ${text}.` };
  const isName = NAME.test(given);
  const name = isName ? given : 'Error';
  const message = isName ? text : [given, text].filter(Boolean).join(': ');
  return { kind: 'threw', name, message: message ? `${name}: ${message}` : name, stack };
}

export const unreadableThrown: SandboxFailure = {
  kind: 'threw',
  message: 'The code threw something that cannot be read.',
};

/** A reviver for `JSON.parse` that replaces the characters which PostgreSQL refuses in text. */
export function printable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\uFFFD') : value;
}
