/** Makes the cluster (PostgreSQL's word for the folder of data) once, complete or not at all. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { CannotGoOn } from '../progress.mjs';
import { giveTo, makePrivateFolder } from './account.mjs';

export const SUPERUSER = 'millrace';
const run = promisify(execFile);

/** @returns true when the cluster was made now, false when it was there */
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
  } catch (error) {
    throw explainFailure(
      'PostgreSQL could not make its data folder',
      place.home,
      `${error.stderr ?? ''}${error.message}`,
    );
  }
  renameSync(unfinished, place.cluster);
  return true;
}

/** Anyone on this machine can reach a port on 127.0.0.1, so the server asks for a password. */
function ensurePassword(place, account) {
  if (!existsSync(place.password)) {
    writeFileSync(place.password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  }
  giveTo(place.password, account);
}

export function readPassword(place) {
  return readFileSync(place.password, 'utf8').trim();
}

/** Only what a server needs: no secret of ours, and no PG* variable of the person's own database. */
export function serverEnvironment() {
  const { PATH, SystemRoot } = process.env;
  return { LC_ALL: 'C', TZ: 'UTC', ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) };
}

export function explainFailure(what, folder, output) {
  if (/No space left on device|ENOSPC/.test(output)) {
    return new CannotGoOn(
      `The disk that holds ${folder} is full: free some space, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.`,
    );
  }
  if (/error while loading shared libraries|ENOENT|ENOEXEC/.test(output)) {
    return new CannotGoOn(
      `The embedded PostgreSQL does not run on this machine (${lastLines(output, 1)}): set SVC_DATABASE_URL to a PostgreSQL 13 or newer.`,
    );
  }
  return new CannotGoOn(
    `${what} in ${folder}: mend what the lines below name, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.\n${lastLines(output, 12)}`,
  );
}

export function lastLines(text, count) {
  return text.trim().split('\n').slice(-count).join('\n');
}
