/** Makes the cluster, which is PostgreSQL's word for its data folder. It is made once, and completely or not at all. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { CannotContinue } from '../progress.mjs';
import { giveTo, makePrivateFolder } from './account.mjs';

export const SUPERUSER = 'millrace';
const run = promisify(execFile);

/** @returns true when the cluster was made now, false when it existed */
export async function ensureCluster({ place, binary, account, durable }) {
  if (existsSync(place.cluster)) return false;
  const unfinished = `${place.cluster}.new`; // an interrupted initdb never looks like a cluster
  rmSync(unfinished, { recursive: true, force: true });
  makePrivateFolder(unfinished, account);
  ensurePassword(place, account);
  try {
    await run(
      binary('initdb'),
      [
        ...['-D', unfinished, '-U', SUPERUSER, '--pwfile', place.password, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', '--locale=C', '--no-instructions', ...(durable ? [] : ['--no-sync'])],
      ],
      { ...account, cwd: '/', env: serverEnvironment() },
    );
  } catch (/** @type {any} */ error) {
    throw explainFailure(
      'PostgreSQL could not make its data folder',
      place.home,
      `${error.stderr ?? ''}${error.message}`,
    );
  }
  renameSync(unfinished, place.cluster);
  return true;
}

/** Makes the password of the server. It needs one, because every account of this machine can reach its port. */
function ensurePassword(place, account) {
  if (!existsSync(place.password)) {
    writeFileSync(place.password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  }
  giveTo(place.password, account);
}

export function readPassword(place) {
  return readFileSync(place.password, 'utf8').trim();
}

/** The environment of the server. It leaves out our secrets, and the PG* variables of a person's own database. */
export function serverEnvironment() {
  const { PATH, SystemRoot } = process.env;
  return { LC_ALL: 'C', TZ: 'UTC', ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) };
}

export function explainFailure(what, folder, output) {
  if (/No space left on device|ENOSPC/.test(output)) {
    return new CannotContinue(
      `The disk that holds ${folder} is full: free some space, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.`,
    );
  }
  if (/error while loading shared libraries|ENOENT|ENOEXEC/.test(output)) {
    return new CannotContinue(
      `The embedded PostgreSQL does not run on this machine (${lastLines(output, 1)}): set SVC_DATABASE_URL to a PostgreSQL 13 or newer.`,
    );
  }
  return new CannotContinue(
    `${what} in ${folder}: correct the problem that the lines below name, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.\n${lastLines(output, 12)}`,
  );
}

export function lastLines(text, count) {
  return text.trim().split('\n').slice(-count).join('\n');
}
