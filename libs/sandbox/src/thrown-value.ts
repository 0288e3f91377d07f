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

/** QuickJS throws this error of its own, or null where it has no memory left for an error. */
export function isOutOfMemory(thrown: ThrownValue, growthRefused: boolean): boolean {
  if (thrown.isNull) return growthRefused;
  return thrown.name === 'InternalError' && thrown.message === 'out of memory';
}

export function failureOfThrown({ name, message, stack, isError }: ThrownValue): SandboxFailure {
  if (!isError) return { kind: 'threw', message: `The code threw ${message}.` };
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
