// Starts the service with the launcher of `npm start`, in a data directory that is removed at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../tcp-ports.mjs';

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));

export async function startRedis(directory) {
  const port = await freePort();
  const args = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    'everysec',
    '--maxmemory-policy',
    'noeviction',
  ];
  const child = spawn('redis-server', args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  child.stdout.resume();
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill('SIGTERM') };
}

/**
 * Starts the service of a checkout, which is this one by default. Resolves with its base URL, the time until it was ready,
 * its credentials and its pids; `stop` ends it and removes its data.
 */
export async function startService({ queue, env = {}, root = ownRoot }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const redis = queue === 'redis' ? await startRedis(dataDir) : null;
  const port = await freePort();
  const inherited = { ...process.env };
  delete inherited.SVC_REDIS_URL;
  const launcher = spawn(process.execPath, ['--max-semi-space-size=1', join(root, 'tools/start.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      SVC_DATA_DIR: dataDir,
      SVC_PORT: String(port),
      SVC_LOG_LEVEL: 'warn',
      SVC_PIECE_ISOLATION: 'basic', // where the machine has no namespaces
      ...(redis ? { SVC_REDIS_URL: redis.url } : {}),
      ...env,
    },
  });
  const from = performance.now();
  let output = '';
  launcher.stdout.on('data', (chunk) => (output += chunk));
  const base = `http://127.0.0.1:${port}`;
  await waitUntilReady(
    launcher,
    () => output.includes('Stop it with Ctrl-C'),
    () => output,
  );
  const startSeconds = Number(((performance.now() - from) / 1_000).toFixed(2));
  const readJson = (name) => JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  const { databaseUrl, pids } = readJson('running.json');
  return {
    base,
    startSeconds,
    credentials: readJson('credentials.json'),
    databaseUrl,
    launcherPid: pids.launcher,
    postgresPid: pids.postgres,
    redisPid: redis?.pid ?? null,
    redisUrl: redis?.url ?? null,
    async stop() {
      launcher.kill('SIGTERM');
      if (launcher.exitCode === null && launcher.signalCode === null) await once(launcher, 'exit');
      redis?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(launcher, isReady, output) {
  const exited = once(launcher, 'exit').then(() => 'exit');
  while (!isReady()) {
    const what = await Promise.race([once(launcher.stdout, 'data'), exited]);
    if (what === 'exit') throw new Error(`The service did not start:\n${output()}`);
  }
}
