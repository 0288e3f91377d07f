/** Chooses the account of the server, because PostgreSQL refuses to run as root. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { CannotContinue } from '../progress.mjs';

export const isRoot = process.getuid?.() === 0;

/** When root starts the server from a private folder, files that the server's account must reach are put here. */
const SHARED_PLACE = '/var/lib/millrace';

/**
 * The account of the server as `{ uid, gid }`. It is `{}`, our own account, unless we are root. For root it is the
 * owner of the existing cluster, otherwise `postgres` or `nobody`. Throws CannotContinue when the machine has neither.
 */
export function serverAccount(cluster) {
  if (!isRoot) return {};
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf(['-u', name]);
    const gid = idOf(['-g', name]);
    if (uid > 0 && gid >= 0) return { uid, gid };
  }
  throw new CannotContinue(
    'PostgreSQL does not run as root and this machine has neither an account "postgres" nor "nobody": run the command as another user, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.',
  );
}

function idOf(question) {
  try {
    return Number(execFileSync('id', question, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return -1; // the machine has no account of this name
  }
}

/** Whether other accounts can reach `path`. They cannot below /root or below a home directory of mode 700. */
export function othersCanEnter(path) {
  for (let folder = resolve(path); folder !== parse(folder).root; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

/**
 * Whether another account has made the database in `folder`, where only that account may enter. Root would find none
 * there, and make another one elsewhere.
 */
export function isOfAnotherAccount(folder) {
  return isRoot && existsSync(join(folder, 'cluster')) && !othersCanEnter(folder) && statSync(folder).uid !== 0;
}

/** The wanted folder, or another one in its place that the server's account can enter. It is always the same one. */
export function reachableFolder(wanted) {
  if (!isRoot || othersCanEnter(wanted)) return wanted;
  return sharedFolder(
    resolve(wanted)
      .split(/[^\w.-]+/)
      .filter(Boolean)
      .join('-'),
  );
}

export function sharedFolder(name) {
  if (!existsSync(SHARED_PLACE)) mkdirSync(SHARED_PLACE, { recursive: true, mode: 0o755 });
  return join(SHARED_PLACE, name);
}

/** Makes a folder that only `account` and root can read, whatever the umask is. */
export function makePrivateFolder(path, account) {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  giveTo(path, account);
}

export function giveTo(path, { uid, gid }) {
  if (uid !== undefined) chownSync(path, uid, gid);
}
