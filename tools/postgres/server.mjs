/**
 * Finds, launches and stops the server process of a cluster. PostgreSQL records its process in `postmaster.pid`:
 * number, cluster, start, port, socket, address, memory, status, one on each line.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../progress.mjs';
import { commandOf, isAlive, pause, waitUntil } from '../running-processes.mjs';
import { freePort } from '../tcp-ports.mjs';
import { giveTo } from './account.mjs';
import { explainFailure, serverEnvironment } from './cluster.mjs';
import { emptySocketFolder } from './local-sockets.mjs';
import { serverArguments } from './server-settings.mjs';

const STARTS = 5;

function pidFile(place) {
  return join(place.cluster, 'postmaster.pid');
}

function readPidFile(place) {
  try {
    const lines = readFileSync(pidFile(place), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() };
  } catch (/** @type {any} */ error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Whether the process is the server of this cluster. Another program may have its number by now, so the folder counts.
 */
function isOurServer(pid, place) {
  if (!isAlive(pid)) return false;
  return worksInside(pid, place.cluster) ?? commandOf(pid).includes(place.cluster);
}

function worksInside(pid, folder) {
  if (process.platform !== 'linux') return undefined;
  try {
    const [here, there] = [statSync(`/proc/${pid}/cwd`), statSync(folder)];
    return here.dev === there.dev && here.ino === there.ino;
  } catch {
    return undefined; // the process belongs to another account, so the caller looks at its command line
  }
}

/** Finds the running server of this cluster, and waits while one is starting or stopping. Undefined when none runs. */
export async function findLiveServer(place) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = readPidFile(place);
    if (!found) return undefined;
    if (!isOurServer(found.pid, place)) {
      if (isAlive(found.pid)) rmSync(pidFile(place)); // PostgreSQL would take the other process for its server
      return undefined;
    }
    if (found.status === 'ready') return { pid: found.pid, port: found.port };
    if (performance.now() > deadline) {
      throw explainFailure('PostgreSQL has been starting or stopping for a minute', place.home, readLog(place));
    }
    await pause(50);
  }
}

/** Launches a server that outlives this process, and waits until it takes connections. */
export async function launchServer({ place, binary, account, durable, port: wantedPort }) {
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    const server = spawnServer({ place, binary, account, durable, port });
    if (await becomesReady(server, place)) return { pid: server.pid, port };
    const log = readLog(place);
    // Both problems pass: another program has just taken the port, or children of a killed server are still ending.
    const passing = /could not bind|pre-existing shared memory block/.test(log);
    if (!passing || attempt === STARTS) throw explainFailure('PostgreSQL did not start', place.home, log);
    await pause(300 * attempt);
  }
}

function spawnServer({ place, binary, account, durable, port }) {
  if (existsSync(place.log)) renameSync(place.log, `${place.log}.1`);
  const log = openSync(place.log, 'a', 0o600);
  giveTo(place.log, account);
  const sockets = emptySocketFolder(place.sockets, account);
  const server = spawn(binary('postgres'), ['-D', place.cluster, ...serverArguments({ port, durable, sockets })], {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', log, log],
    detached: true, // Ctrl-C in the terminal must not reach the server, which stops last
  });
  closeSync(log);
  server.unref();
  return server;
}

async function becomesReady(server, place) {
  let ended = false;
  const end = () => {
    ended = true;
  };
  server.once('error', end).once('exit', end);
  const isReady = () => {
    const found = readPidFile(place);
    return found?.pid === server.pid && found?.status === 'ready';
  };
  await waitUntil(() => ended || isReady(), 120_000);
  return !ended && isReady();
}

function readLog(place) {
  return existsSync(place.log) ? readFileSync(place.log, 'utf8') : '';
}

/** How long `stopServer` waits after each way to stop the server, before it takes a harder one. */
const STOP_WAITS = {
  fastMs: 10_000,
  /** Longer than the 5 s after which PostgreSQL itself kills sessions that do not end. */
  immediateMs: 8_000,
  killedMs: 5_000,
};

/** Stops the server, also one that is frozen or hangs. It says so when it takes a harder way. */
export async function stopServer(pid, place, { fastMs, immediateMs, killedMs } = STOP_WAITS) {
  // A process that is just ending still exists but has no folder and no command line.
  const isGone = () => !isAlive(pid) || (commandOf(pid) !== '' && !isOurServer(pid, place));
  if (isGone()) return;
  signalTo(pid, 'SIGINT'); // PostgreSQL's fast shutdown ends sessions, writes all data and exits
  if (process.platform !== 'win32') signalTo(pid, 'SIGCONT'); // a frozen process gets the other signals only now
  if (await waitUntil(isGone, fastMs)) return;
  say(
    `PostgreSQL has not ended within ${fastMs / 1000} s: it ends without writing all data, which its next start recovers from its log.`,
  );
  signalTo(pid, 'SIGQUIT'); // PostgreSQL's immediate shutdown
  if (await waitUntil(isGone, immediateMs)) return;
  say(`PostgreSQL does not answer: its process ${pid} is killed. The next start recovers the data.`);
  signalTo(pid, 'SIGKILL');
  if (await waitUntil(isGone, killedMs)) return;
  say(`The process ${pid} of PostgreSQL still exists, because the system does not end it: see what it waits for.`);
}

function signalTo(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (/** @type {any} */ error) {
    if (error.code !== 'ESRCH') throw error; // otherwise it has ended just now
  }
}
