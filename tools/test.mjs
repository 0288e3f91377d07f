/**
 * `npm test`: runs all checks and tests, on servers that are started for this run only.
 * `npm test -- unit e2e` runs some parts. Their names are in testing/parts.mjs. `--long` adds the long proofs: all suites
 * about the queue on Redis, and the pruned builds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp, outliveTheReader, say } from './progress.mjs';
import { checkNode } from './start/check-node.mjs';
import { ensureDependencies } from './start/install.mjs';
import { listenForStopRequests } from './start/stop-requests.mjs';
import { findChromium } from './testing/chromium.mjs';
import { measurePace } from './testing/pace.mjs';
import { BESIDE_OTHERS, PARTS } from './testing/parts.mjs';
import { startRedis } from './testing/redis.mjs';
import { Tally } from './testing/tally.mjs';
import { makeThrowAwayFolder, placeForServers, startThrowAwayPostgres } from './testing/throw-away.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const NEEDS_SERVERS = ['unit', 'e2e'];

/** @type {import('./testing/parts.mjs').Run} The state that the parts share. */
const run = { root, folder: '', undo: [], environment: ownEnvironment(), node, isLong: false, pace: 1 };
const { stop } = listenForStopRequests();
/** The programs that are running. */
const programs = new Set();

/** The environment without the settings of a service that a person runs, because the tests have their own. */
function ownEnvironment() {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  return { ...Object.fromEntries(entries), FORCE_COLOR: process.stdout.isTTY ? '1' : '0' };
}

/**
 * Runs a Node.js program with its output on our terminal, or in an open file.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [environment]
 * @param {'inherit' | number} [output]
 * @returns {Promise<number>} its exit code
 */
function node(args, environment = {}, output = 'inherit') {
  if (stop.signal.aborted) throw new CannotContinue('The tests were interrupted.');
  return new Promise((resolve) => {
    const program = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['inherit', output, output],
      env: { ...run.environment, ...environment },
    });
    const end = (code) => {
      programs.delete(program);
      resolve(code ?? 1);
    };
    programs.add(program);
    program.once('error', () => end(1)).once('exit', end);
  });
}

/** Takes the arguments of the command: the names of parts, of which none means all, and `--long`. */
function chooseParts(args) {
  run.isLong = args.includes('--long');
  const names = args.filter((arg) => arg !== '--long');
  const unknown = names.filter((name) => !PARTS[name]);
  if (unknown.length === 0) return names.length > 0 ? names : Object.keys(PARTS);
  throw new CannotContinue(`There is no part "${unknown.join(' ')}": the parts are ${Object.keys(PARTS).join(', ')}.`);
}

async function startServers() {
  const postgres = await startThrowAwayPostgres(run.folder);
  run.undo.push(postgres.stop);
  say('PostgreSQL runs, for these tests only.');
  run.environment.MILLRACE_TEST_DATABASE_URL = postgres.url;
  run.makeDatabase = postgres.create;
  run.redisUrl = process.env.MILLRACE_TEST_REDIS_URL || process.env.SVC_REDIS_URL || (await ownRedis());
  if (run.redisUrl) run.environment.MILLRACE_TEST_REDIS_URL = run.redisUrl;
  if (spawnSync('pgbouncer', ['--version']).status !== 0)
    say('No pgbouncer was found, so the tests behind a pooler are left out (Debian: apt-get install pgbouncer).');
  run.environment.MILLRACE_CHROMIUM = findChromium();
  if (!run.environment.MILLRACE_CHROMIUM)
    say(
      'No chromium was found, so the tests of the console in a browser are left out ' +
        '(Debian: apt-get install chromium-headless-shell).',
    );
}

async function ownRedis() {
  const redis = await startRedis(run.folder);
  if (!redis) {
    say('No redis-server was found, so the tests on Redis are left out (Debian: apt-get install redis-server).');
    return undefined;
  }
  run.undo.push(redis.stop);
  say('Redis runs, for these tests only.');
  return redis.url;
}

async function runPart([title, part], tally, context = run) {
  say(`${title} …`);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    tally.add(title, { ...(await part(context)), seconds: seconds() });
  } catch (error) {
    if (!(error instanceof CannotContinue)) throw error;
    console.error(error.message);
    tally.add(title, { failed: 1, seconds: seconds() });
  }
}

async function test(args) {
  checkNode();
  const parts = chooseParts(args);
  await ensureDependencies(root, stop.signal);
  run.folder = makeThrowAwayFolder(placeForServers());
  run.undo.push(() => rmSync(run.folder, { recursive: true, force: true }));
  if (parts.some((name) => NEEDS_SERVERS.includes(name))) await startServers();
  const tally = new Tally();
  // The parts that run beside others would build at the same time.
  if (parts.includes('build')) await runTogether(PARTS.build, tally);
  if (parts.includes('unit')) await keepPace();
  const beside = oneByOne(
    parts.filter((name) => BESIDE_OTHERS.has(name)).flatMap((name) => PARTS[name]),
    tally,
  );
  for (const name of parts.filter((each) => each !== 'build' && !BESIDE_OTHERS.has(each))) {
    if (name === 'e2e') {
      await beside; // its suites measure times
      await keepPace();
    }
    for (const group of sharing(PARTS[name])) await runTogether(group, tally);
  }
  await beside;
  return tally;
}

/** Adapts the waits of the tests to a machine that is slow or busy. */
async function keepPace() {
  run.pace = await measurePace();
  if (run.pace > 1) say(`This machine is ${run.pace} times as slow as usual now, so the tests may take longer.`);
}

/** Returns the groups of parts that run at the same time: on a slow machine, each part has it for itself. */
const sharing = (parts) => (run.pace > 1 ? parts.map((part) => [part]) : [parts]);

/** Runs parts one after the other while another part uses the terminal. */
async function oneByOne(parts, tally) {
  for (const part of parts) await runQuietly(part, tally);
}

/**
 * Runs the first part on the terminal, and meanwhile the others, one after the other: the first takes as long as they do
 * together.
 * @param {import('./testing/parts.mjs').Part[]} parts
 * @param {Tally} tally
 */
async function runTogether([first, ...others], tally) {
  if (stop.signal.aborted) return;
  await Promise.all([runPart(first, tally), oneByOne(others, tally)]);
}

/** Runs a part while another one uses the terminal. Its output goes to a file and is printed when it ends. */
async function runQuietly(part, tally) {
  if (stop.signal.aborted) return;
  const file = join(run.folder, `${part[0]}.output`);
  const output = openSync(file, 'w');
  const quiet = { ...run, node: (args, environment) => node(args, environment, output) };
  await runPart(part, tally, quiet);
  closeSync(output);
  process.stdout.write(readFileSync(file));
}

async function takeDown() {
  for (const step of run.undo.splice(0).reverse()) await step();
}

outliveTheReader();
process.chdir(root);
stop.signal.addEventListener('abort', () => programs.forEach((program) => program.kill('SIGTERM')));
try {
  const tally = await test(process.argv.slice(2));
  await takeDown();
  if (stop.signal.aborted) throw new CannotContinue('The tests were interrupted.');
  console.log(`\n${tally.lines().join('\n')}`);
  process.exit(tally.failed === 0 ? 0 : 1);
} catch (error) {
  await takeDown();
  giveUp(error);
}
