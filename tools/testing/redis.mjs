/** Starts a Redis for one test run, if the machine has a redis-server. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '../running-processes.mjs';
import { freePort } from '../tcp-ports.mjs';

/** Whether the PATH has a redis-server. */
export const hasRedis = () => spawnSync('redis-server', ['--version']).status === 0;

/** @returns undefined when there is no redis-server on the PATH */
export async function startRedis(folder) {
  const port = await freePort();
  const options = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    pidfile: join(folder, 'redis.pid'),
  };
  const server = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore', detached: true },
  );
  let absent = false;
  server.once('error', () => (absent = true));
  const isUp = await waitUntil(async () => absent || (await accepts(port)), 10_000);
  if (absent || !isUp) return undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
