/**
 * A Redis and its replica, as an operator would run them: with the append-only file, restarted when they die. The apps
 * reach the one that is the primary now.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { say } from '../../progress.mjs';
import { waitUntil } from '../../running-processes.mjs';
import { freePort } from '../../tcp-ports.mjs';

const STARTS_WITHIN_MS = 60_000;
/** The exit code of a Redis that cannot read its file. */
const CANNOT_START = 1;
const SETTINGS = {
  bind: '127.0.0.1',
  save: '',
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
  'repl-diskless-sync-delay': 0,
};

export class RedisPair {
  #servers;
  #primary = 0;
  #stopping = false;

  static async start(folder) {
    const servers = await Promise.all(
      [1, 2].map(async (number) => ({ folder: join(folder, `redis-${number}`), port: await freePort(), child: null })),
    );
    const pair = new RedisPair(servers);
    await pair.#launch(0);
    await pair.#launch(1);
    return pair;
  }

  constructor(servers) {
    this.#servers = servers;
  }

  /** The port of the primary. */
  get port() {
    return this.#servers[this.#primary].port;
  }

  get pid() {
    return this.#servers[this.#primary].child?.pid;
  }

  /** Does something with a connection to the primary. */
  async withPrimary(work) {
    return withRedis(this.port, work);
  }

  async isReady() {
    return isUp(this.port);
  }

  /** Makes the replica the primary, and kills the former primary, which comes back as the replica. */
  async failOver() {
    const former = this.#primary;
    const next = 1 - former;
    await withRedis(this.#servers[next].port, (redis) => redis.replicaof('NO', 'ONE'));
    this.#primary = next;
    const pid = this.#servers[former].child?.pid;
    if (pid) process.kill(pid, 'SIGKILL');
  }

  async stop() {
    this.#stopping = true;
    for (const { child } of this.#servers) {
      if (!child || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL'); // its data goes with the folder of the proof
      await ended;
    }
  }

  async #launch(index) {
    const server = this.#servers[index];
    mkdirSync(server.folder, { recursive: true });
    const replica = index === this.#primary ? [] : ['--replicaof', '127.0.0.1', String(this.port)];
    const settings = { ...SETTINGS, port: server.port, dir: server.folder, pidfile: join(server.folder, 'redis.pid') };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn('redis-server', [...args, ...replica], { stdio: 'ignore', detached: true });
    server.child = child;
    child.once('exit', (code) => {
      if (code === CANNOT_START) emptyFolder(server.folder);
      if (!this.#stopping) setTimeout(() => this.#restart(index), 100);
    });
    await waitUntil(() => isUp(server.port), STARTS_WITHIN_MS);
  }

  #restart(index) {
    if (!this.#stopping) void this.#launch(index);
  }
}

/**
 * After a full disk, Redis may find its own append-only file malformed. An operator then starts it empty: the queue is
 * filled again from PostgreSQL.
 */
function emptyFolder(folder) {
  say('Redis does not start with its append-only file; it starts empty.');
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
}

async function withRedis(port, work) {
  const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => null, connectTimeout: 5_000, lazyConnect: true });
  redis.on('error', () => undefined); // the work rejects with it
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const isUp = (port) =>
  withRedis(port, (redis) => redis.ping()).then(
    () => true,
    () => false,
  );
