/**
 * `npm test`: everything that says whether a change is good, on servers that live for this run only.
 * `npm test -- unit e2e` runs some parts; the names are in testing/parts.mjs.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CannotGoOn, giveUp, outliveTheReader, say } from './progress.mjs';
import { checkNode } from './start/check-node.mjs';
import { ensureDependencies } from './start/install.mjs';
import { listenForStopRequests } from './start/stop-requests.mjs';
import { PARTS } from './testing/parts-kill.tmp.mjs';
import { startRedis } from './testing/redis.mjs';
import { Tally } from './testing/tally.mjs';
import { makeThrowAwayFolder, startThrowAwayPostgres } from './testing/throw-away.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const NEEDS_SERVERS = ['unit', 'e2e'];

/** What the parts share. `undo` is what to take down at the end, newest first. */
const run = { root, undo: [], environment: ownEnvironment(), node, makeDatabase: undefined, redisUrl: undefined };
const { stop } = listenForStopRequests();
let current;

/** Without the settings of a service that the person runs; the tests make their own. */
function ownEnvironment() {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  return { ...Object.fromEntries(entries), FORCE_COLOR: process.stdout.isTTY ? '1' : '0' };
}

/** Runs a Node program on our terminal; @returns its exit code */
function node(args, environment = {}) {
  if (stop.signal.aborted) throw new CannotGoOn('The tests were interrupted.');
  return new Promise((resolve) => {
    current = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...run.environment, ...environment },
    });
    current.once('error', () => resolve(1)).once('exit', (code) => resolve(code ?? 1));
  });
}

function chooseParts(names) {
  const unknown = names.filter((name) => !PARTS[name]);
  if (unknown.length === 0) return names.length > 0 ? names : Object.keys(PARTS);
  throw new CannotGoOn(`There is no part "${unknown.join(' ')}": the parts are ${Object.keys(PARTS).join(', ')}.`);
}

async function startServers() {
  const postgres = await startThrowAwayPostgres(run.folder);
  run.undo.push(postgres.stop);
  say('PostgreSQL runs, for these tests only.');
  run.environment.MILLRACE_TEST_DATABASE_URL = postgres.url;
  run.makeDatabase = postgres.create;
  run.redisUrl = process.env.MILLRACE_TEST_REDIS_URL || process.env.SVC_REDIS_URL || (await ownRedis());
  if (run.redisUrl) run.environment.MILLRACE_TEST_REDIS_URL = run.redisUrl;
}

async function ownRedis() {
  const redis = await startRedis(run.folder);
  if (!redis) {
    say('No redis-server was found, so what runs on Redis is left out (Debian: apt-get install redis-server).');
    return undefined;
  }
  run.undo.push(redis.stop);
  say('Redis runs, for these tests only.');
  return redis.url;
}

async function runPart([title, part], tally) {
  say(`${title} …`);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    tally.add(title, { ...(await part(run)), seconds: seconds() });
  } catch (error) {
    if (!(error instanceof CannotGoOn)) throw error;
    console.error(error.message);
    tally.add(title, { failed: 1, seconds: seconds() });
  }
}

async function test(names) {
  checkNode();
  const parts = chooseParts(names);
  await ensureDependencies(root, stop.signal);
  run.folder = makeThrowAwayFolder();
  run.undo.push(() => rmSync(run.folder, { recursive: true, force: true }));
  if (parts.some((name) => NEEDS_SERVERS.includes(name))) await startServers();
  const tally = new Tally();
  for (const part of parts.flatMap((name) => PARTS[name])) {
    if (!stop.signal.aborted) await runPart(part, tally);
  }
  return tally;
}

async function takeDown() {
  for (const step of run.undo.splice(0).reverse()) await step();
}

outliveTheReader();
process.chdir(root);
stop.signal.addEventListener('abort', () => current?.kill('SIGTERM'));
try {
  const tally = await test(process.argv.slice(2));
  await takeDown();
  if (stop.signal.aborted) throw new CannotGoOn('The tests were interrupted.');
  console.log(`\n${tally.lines().join('\n')}`);
  process.exit(tally.failed === 0 ? 0 : 1);
} catch (error) {
  await takeDown();
  giveUp(error);
}
