/** Under which account the server runs: PostgreSQL refuses to run as root. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { CannotGoOn } from '../progress.mjs';

export const isRoot = process.getuid?.() === 0;

/** Where a root start keeps what the server's account must reach and the clone's own folder would hide. */
const SHARED_PLACE = '/var/lib/millrace';

/** `{}` is "as we are"; as root it is whoever owns the existing cluster, else an account that exists everywhere. */
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
  throw new CannotGoOn(
    'PostgreSQL does not run as root and this machine has neither an account "postgres" nor "nobody": run the command as another user, or set SVC_DATABASE_URL to a PostgreSQL 13 or newer.',
  );
}

function idOf(question) {
  try {
    return Number(execFileSync('id', question, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return -1; // no such account here
  }
}

/** False when another account cannot get to `path`, as below /root or a home directory of mode 700. */
export function othersCanEnter(path) {
  for (let folder = resolve(path); folder !== parse(folder).root; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

/** The same folder for the same wish, but one that the server's account can enter. */
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

/** Makes a folder that only `account` (and root) can read, whatever the umask. */
export function makePrivateFolder(path, account) {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  giveTo(path, account);
}

export function giveTo(path, { uid, gid }) {
  if (uid !== undefined) chownSync(path, uid, gid);
}
