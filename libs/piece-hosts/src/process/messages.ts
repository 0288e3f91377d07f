/** What a worker sends to a host. */
export type ToHost =
  | { readonly type: 'load'; readonly id: number; readonly file: string }
  | { readonly type: 'call'; readonly id: number; readonly request: unknown }
  | { readonly type: 'answer'; readonly ask: number; readonly value?: unknown; readonly error?: SentError };

/** What a host sends to its worker. The package may forge any of it. */
export type FromHost =
  | { readonly type: 'ready' }
  | ({ readonly type: 'result'; readonly id: number } & HostCondition &
      ({ readonly value: unknown } | { readonly error: SentError }))
  | {
      readonly type: 'ask';
      /** The call for which it is asked. */
      readonly id: number;
      readonly ask: number;
      readonly service: string;
      readonly args: readonly unknown[];
    };

/** How a host is after a call. */
export interface HostCondition {
  readonly memoryMb: number;
  /** The package changed what belongs to JavaScript itself, as a prototype. */
  readonly isHarmed: boolean;
}

/** An error, as far as it is told. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** The code of the error that a call ends with when its answer is larger than a message may be. */
export const OVERSIZED_ANSWER = 'OVERSIZED_ANSWER';

const MOST_MESSAGE_CHARACTERS = 10_000;

export function sentError(error: unknown): SentError {
  const { name, message, code } = (error ?? {}) as Partial<Record<'name' | 'message' | 'code', unknown>>;
  return {
    name: typeof name === 'string' ? name.slice(0, 100) : 'Error',
    message: (typeof message === 'string' ? message : textOf(error)).slice(0, MOST_MESSAGE_CHARACTERS),
    ...(typeof code === 'string' ? { code: code.slice(0, 100) } : {}),
  };
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value without a text';
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads a message of a host. Returns null for anything that no host program sends. */
export function readFromHost(message: unknown): FromHost | null {
  if (!isRecord(message)) return null;
  const { type, id, ask, service, args, value, error, memoryMb, isHarmed } = message;
  if (type === 'ready') return { type };
  if (typeof id !== 'number') return null;
  if (type === 'ask' && typeof ask === 'number' && typeof service === 'string' && Array.isArray(args))
    return { type, id, ask, service, args: args as unknown[] };
  if (type === 'result' && typeof memoryMb === 'number' && memoryMb >= 0)
    return {
      type,
      id,
      memoryMb,
      isHarmed: isHarmed === true,
      ...(isRecord(error) ? { error: sentError(error) } : { value }),
    };
  return null;
}
