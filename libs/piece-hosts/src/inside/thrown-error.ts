import { type SentError, sentError } from '../process/messages';

/** What Node's permission model keeps from a package, as its author should read it. */
const KEPT_FROM_PACKAGES: Readonly<Record<string, string>> = {
  ChildProcess: 'a package starts no process',
  WorkerThreads: 'a package starts no thread',
  FileSystemRead: 'a package reads no file outside its folder',
  FileSystemWrite: 'a package writes no file on the disk',
};

/**
 * What a package has thrown, as far as it is told. Two errors of Node say nothing about why: that of `fetch`, whose
 * reason is its cause, and that of the permission model.
 */
export function thrownError(error: unknown): SentError {
  const sent = sentError(error);
  const reason = isRecord(error) ? (reasonOfFetch(error) ?? reasonOfRestriction(error)) : undefined;
  return reason === undefined
    ? sent
    : { ...sent, message: sentError({ message: `${sent.message}: ${reason}` }).message };
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
