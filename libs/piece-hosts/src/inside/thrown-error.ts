import { BrokenFrameError } from '../process/frames';
import { OVERSIZED_ANSWER, type SentError, sentError } from '../process/messages';

/** What Node's permission model keeps from a package, as its author should read it. */
const KEPT_FROM_PACKAGES: Readonly<Record<string, string>> = {
  ChildProcess: 'a package starts no process',
  WorkerThreads: 'a package starts no thread',
  FileSystemRead: 'a package reads no file outside its folder',
  FileSystemWrite: 'a package writes no file on the disk',
};

/**
 * What a package has thrown, as far as it is told. Some errors of Node say nothing about why: that of `fetch`, whose
 * reason is its cause, that of the permission model, and that of a Buffer for which there is no memory. What is no error
 * is told as JSON. A long message ends where it is cut, so that a value of a connection is found there, too.
 */
export function thrownError(error: unknown): SentError {
  const message = messageOf(error);
  return message === undefined ? sentError(error) : { ...sentError(error), message: sentError({ message }).message };
}

/** Why an answer was not sent, of which the channel said this: it is too large, which has a code, or no JSON. */
export function unsentAnswer(error: unknown): Error {
  if (error instanceof BrokenFrameError)
    return Object.assign(new Error(`The answer is too large. ${error.message}`), { code: OVERSIZED_ANSWER });
  if (isOutOfMemory(error)) return error;
  const [reason = ''] = thrownError(error).message.split('\n'); // a cycle is shown on further lines
  return new TypeError(`The output is no JSON: ${reason}`);
}

/** Undefined where the error says it itself. */
function messageOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return 'The piece threw nothing.';
  if (typeof error === 'string') return error;
  if (isOutOfMemory(error)) return 'The piece reached its memory limit.';
  if (!isRecord(error) || typeof error.message !== 'string') return `The piece threw ${textOf(error)}.`;
  const reason = reasonOfFetch(error) ?? reasonOfRestriction(error);
  return reason === undefined ? undefined : `${error.message}: ${reason}`;
}

const isOutOfMemory = (error: unknown): error is RangeError =>
  error instanceof RangeError && error.message === 'Array buffer allocation failed';

/** What is thrown as JSON, or where it has none, as JavaScript names it. */
function textOf(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return sentError(thrown).message; // such as a cycle
  }
}

function reasonOfFetch({ message, cause }: Thrown): string | undefined {
  if (message !== 'fetch failed' || !isRecord(cause)) return undefined;
  const [first] = Array.isArray(cause.errors) ? (cause.errors as unknown[]) : []; // one for each address
  const { message: told, code } = isRecord(first) ? first : cause;
  return [told, code].find((each): each is string => typeof each === 'string' && each !== '');
}

function reasonOfRestriction({ code, permission, resource }: Thrown): string | undefined {
  if (code !== 'ERR_ACCESS_DENIED' || typeof permission !== 'string') return undefined;
  const place = typeof resource === 'string' && resource !== '' ? ` (${resource})` : '';
  return `${KEPT_FROM_PACKAGES[permission] ?? permission}${place}.`;
}

type Thrown = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Thrown => typeof value === 'object' && value !== null;
