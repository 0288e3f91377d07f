import type { SandboxFailure } from './sandbox-failure';

/** What the guest's side of the border tells of a thrown value. */
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
 * QuickJS throws this error of its own, or null where it has no memory left for an error. A guest can throw the same,
 * so it counts only when memory was refused to the step.
 */
export function isOutOfMemory(thrown: ThrownValue, growthRefused: boolean): boolean {
  if (!growthRefused) return false;
  return thrown.isNull || (thrown.name === 'InternalError' && thrown.message === 'out of memory');
}

/** What an error calls itself. A sentence in its place could read like one of our limits. */
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

/** For `JSON.parse`: what a database refuses in text is replaced. */
export function printable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\uFFFD') : value;
}
