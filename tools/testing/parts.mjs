/** The parts of `npm test`, in the order in which they run. Each takes the run and returns its counts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { NX, NX_ENVIRONMENT } from '../start/run-command.mjs';
import { patienceAt } from './pace.mjs';
import { startService, unexpectedErrors } from './started-service.mjs';
import { suitesOf, unitSuites } from './suites.mjs';
import { countCheck, countEnd, countJest, countNodeTests } from './tally.mjs';

const JEST = 'node_modules/jest/bin/jest.js';
/** jest resolves the sequencer from the folder of each project, so the path is absolute. */
const SEQUENCER = fileURLToPath(new URL('longest-first.cjs', import.meta.url));
const ALWAYS = ['--passWithNoTests', `--testSequencer=${SEQUENCER}`];
/**
 * A limit for tests that hang: on a busy machine a good one took 2 min. jest ignores the time limit of a
 * project when several projects run, so it is given on the command line.
 */
const TIMEOUT_MS = 300_000;
const timeoutOf = (run) => `--testTimeout=${TIMEOUT_MS * patienceAt(run.pace)}`;
/** How many other suites run at once: many of them wait for servers for a third of their time. */
const UNIT_WORKERS = 3;
/**
 * How many end-to-end suites run at once with each queue; both queues are tested at the same time. The suites wait for
 * leases, time limits and restarts for most of their time.
 */
const E2E_WORKERS = { postgres: 4, redis: 2 };
/** On a slow machine fewer suites share it, so that each of them is not slower still. */
const suitesAtOnce = (usual, pace) => Math.max(1, Math.round(usual / pace));
/**
 * How often the suites that kill processes do so. It is few because `npm run chaos`, whose short form runs beside them,
 * kills more; MILLRACE_KILLS gives another number.
 */
const KILLS = { short: '1', long: '3' };
/** The CPU limit of code steps. Suites wait until endless loops reach it; other steps need less than a tenth of it. */
const ENDLESS_LOOPS_END_AFTER_SECONDS = '2';
/** How many of the hostile programs a flow runs: the sandbox has them all in its own tests. */
const HOSTILE_PROGRAMS = { short: 'some', long: 'expressions' };
/** Half of the webhooks of a short proof, because other suites run beside it; each fault is there all the same. */
const CHAOS = ['--queue=any', '--seed=1', '--webhooks=2500', '--rate=30'];
const OXFMT = 'node_modules/oxfmt/bin/oxfmt';
const ESLINT = 'node_modules/eslint/bin/eslint.js';
const OXLINT = 'node_modules/oxlint/bin/oxlint';
/** TypeScript 7 checks types in a quarter of the CPU time. ESLint and Nest's plugin need the API of TypeScript 6. */
const TSC = 'node_modules/@typescript/native/bin/tsc';
const TYPED = ['tsconfig.json', 'tools/tsconfig.json', 'apps/console/tsconfig.json'];

/**
 * @typedef {object} Run
 * @property {string} root
 * @property {string} folder is made when the run starts, and removed at its end
 * @property {(() => unknown)[]} undo the functions that take the servers down at the end, the newest first
 * @property {NodeJS.ProcessEnv} environment
 * @property {(args: string[], environment?: NodeJS.ProcessEnv) => Promise<number>} node
 * @property {boolean} isLong whether it has the long proofs, too
 * @property {number} pace how many times as slow as usual the machine is (see pace.mjs)
 * @property {(name: string) => Promise<string>} [makeDatabase]
 * @property {string} [redisUrl]
 */

/** @typedef {[title: string, part: (run: Run) => Promise<import('./tally.mjs').Counts>]} Part */

/**
 * The parts by the names that `npm test -- <name> …` takes. The others of a name run one by one beside its first, which
 * takes the longest.
 * @type {Record<string, Part[]>}
 */
export const PARTS = {
  // The first, because the types of the API are made from the built api.
  build: [['Build', buildApps]],
  lockfile: [['Lock file', async (run) => countCheck(await run.node(['tools/check-lockfile.mjs']))]],
  format: [['Format', async (run) => countCheck(await run.node([OXFMT, '--list-different']))]],
  lint: [['Lint', lint]],
  types: [['Types', checkTypes]],
  tools: [['Launcher and tools', testTools]],
  unit: [
    [
      'Unit and integration',
      (run) =>
        jest(run, 'unit', [
          `--maxWorkers=${suitesAtOnce(UNIT_WORKERS, run.pace)}`,
          timeoutOf(run),
          ...unitSuites(run.isLong),
          '--ignoreProjects',
          ...e2eProjects(run),
        ]),
    ],
  ],
  e2e: [
    ['End to end, queue in PostgreSQL', (run) => endToEnd(run, 'postgres')],
    ['End to end, queue in Redis', (run) => endToEnd(run, 'redis')],
    ['Chaos', chaos],
    ['Pruned builds', startPrunedBuilds],
  ],
};

/**
 * Parts that run one after the other while lint uses the other core, and after it beside the unit tests. The tools
 * mostly wait for processes.
 */
export const BESIDE_OTHERS = new Set(['format', 'types', 'tools']);

/**
 * Runs oxlint for the rules that need types (.oxlintrc.json), and ESLint for the others. ESLint needs the project graph
 * of Nx: without one it skips the rule about imports.
 */
async function lint(run) {
  let code = await makeApiTypes(run);
  code ||= await run.node([NX, 'show', 'projects', '--json'], NX_ENVIRONMENT);
  const checks = [['tools/folder-circles.mjs'], [OXLINT, '--type-aware', '.'], [ESLINT, '.']];
  for (const check of checks) code ||= await run.node(check, NX_ENVIRONMENT);
  return countCheck(code);
}

/** Checks the types of the apps and libraries, those in the comments of the tools' JavaScript, and the console's. */
async function checkTypes(run) {
  let code = await makeApiTypes(run);
  for (const project of TYPED) code ||= await run.node([TSC, '-p', project]);
  return countCheck(code);
}

async function testTools(run) {
  const files = readdirSync(join(run.root, 'tools'), { recursive: true, encoding: 'utf8' });
  const specs = files.filter((file) => file.endsWith('.spec.mjs'));
  return nodeTests(
    run,
    'tools',
    specs.sort().map((file) => join('tools', file)),
  );
}

/** Starts the apps from their pruned builds, as their images do. */
async function startPrunedBuilds(run) {
  if (!run.isLong) return { note: 'left out: "npm test -- --long" has them' };
  await ensureBuild(run.root);
  return nodeTests(run, 'images', ['tools/images/pruned-builds.container-spec.mjs'], {
    MILLRACE_IMAGES_DATABASE_URL: await run.makeDatabase('images'),
  });
}

async function nodeTests(run, name, specs, environment = {}) {
  const tap = join(run.folder, `${name}.tap`);
  const reporters = ['spec', 'stdout', 'tap', tap];
  const code = await run.node(
    [
      '--test',
      '--test-concurrency=2',
      // A test that does not end at all must not stop the others. On a busy machine some take minutes.
      '--test-timeout=900000',
      ...reporters.map((value, index) => `--test-reporter${index % 2 ? '-destination' : ''}=${value}`),
      ...specs,
    ],
    environment,
  );
  return countNodeTests(code, existsSync(tap) ? readFileSync(tap, 'utf8') : '');
}

async function jest(run, name, args, environment = {}) {
  const file = join(run.folder, `${name}.json`);
  const code = await run.node([JEST, '--ci', '--json', `--outputFile=${file}`, ...ALWAYS, ...args], {
    ...NX_ENVIRONMENT,
    ...environment,
  });
  return countJest(code, existsSync(file) && JSON.parse(readFileSync(file, 'utf8')));
}

function e2eProjects({ root }) {
  return readdirSync(join(root, 'apps')).filter((name) => name.endsWith('-e2e'));
}

/** The end-to-end tests in a browser. The console does not know which queue the service has. */
const IN_A_BROWSER = 'console-e2e';

function e2eProjectsWith(queue, run) {
  const hasBrowser = queue === 'postgres' && run.environment.MILLRACE_CHROMIUM;
  return e2eProjects(run).filter((name) => name !== IN_A_BROWSER || hasBrowser);
}

async function buildApps(run) {
  await ensureBuild(run.root);
  return countCheck(await makeApiTypes(run));
}

/** @type {Promise<number> | undefined} */
let apiTypes;

/** Makes the types of the API, which the console is checked with, once for all parts. */
const makeApiTypes = (run) => (apiTypes ??= run.node(['tools/console-api-types.mjs']));

/** @type {Promise<string> | undefined} Both queues use the same. */
let migratedDatabase;

/** One of the two services shows its queues, so that both can be checked: the board, and that it is off by default. */
const BOARD_IS_ON = { SVC_QUEUE_UI_ENABLED: 'true', SVC_QUEUE_UI_PASSWORD: 'q8Zk2vX1mN5rT7wY' };

/**
 * Makes a database with the schema of the build, which suites copy for the services that they start.
 * @returns {Promise<string>} its name
 */
async function makeMigratedDatabase(run) {
  const url = await run.makeDatabase('migrated');
  const environment = { SVC_DATABASE_URL: url, SVC_LOG_LEVEL: 'warn' };
  if ((await run.node(['dist/apps/api/main.cjs', 'migrate'], environment)) !== 0)
    throw new CannotContinue('The database that suites copy could not be migrated.');
  return new URL(url).pathname.slice(1);
}

/** Runs the end-to-end suites. They share one service, and each uses projects of its own. */
async function endToEnd(run, queue) {
  if (queue === 'redis' && !run.redisUrl)
    return { note: 'left out: no redis-server found (Debian: apt-get install redis-server)' };
  await ensureBuild(run.root);
  const form = run.isLong ? 'long' : 'short';
  const service = await startService({
    root: run.root,
    dataDir: join(run.folder, `data-${queue}`),
    environment: {
      ...run.environment,
      SVC_DATABASE_URL: await run.makeDatabase(`e2e_${queue}`),
      SVC_LOG_LEVEL: 'warn',
      SVC_PIECE_ISOLATION: 'basic', // this machine may have no namespaces: packages run behind the walls that there are
      SVC_SANDBOX_CPU_SECONDS: ENDLESS_LOOPS_END_AFTER_SECONDS,
      ...(queue === 'redis' && { SVC_REDIS_URL: nextRedisDatabase(run.redisUrl), ...BOARD_IS_ON }),
    },
  });
  run.undo.push(service.stop); // stops the service when this function fails before its end
  const { credentials } = service;
  const counts = await jest(
    run,
    `e2e-${queue}`,
    [
      `--maxWorkers=${suitesAtOnce(E2E_WORKERS[queue], run.pace)}`,
      timeoutOf(run),
      ...suitesOf(queue, run.isLong),
      '--selectProjects',
      ...e2eProjectsWith(queue, run),
    ],
    {
      MILLRACE_QUEUE: queue,
      MILLRACE_TEST_PATIENCE: String(patienceAt(run.pace)),
      MILLRACE_TEST_MIGRATED_DATABASE: await (migratedDatabase ??= makeMigratedDatabase(run)),
      ...(queue === 'redis' && { MILLRACE_QUEUE_BOARD_PASSWORD: BOARD_IS_ON.SVC_QUEUE_UI_PASSWORD }),
      MILLRACE_KILLS: process.env.MILLRACE_KILLS ?? KILLS[form],
      MILLRACE_HOSTILE_PROGRAMS: process.env.MILLRACE_HOSTILE_PROGRAMS ?? HOSTILE_PROGRAMS[form],
      MILLRACE_BASE_URL: service.baseUrl,
      MILLRACE_DATA_DIR: service.dataDir,
      MILLRACE_ADMIN_EMAIL: credentials.adminEmail,
      MILLRACE_ADMIN_PASSWORD: credentials.adminPassword,
      MILLRACE_ADMIN_API_KEY: credentials.apiKey,
    },
  );
  const exitCode = await service.stop();
  const errors = unexpectedErrors(service.dataDir);
  for (const line of errors) console.log(`The service (queue in ${queue}) logged: ${line}`);
  return countEnd(counts, exitCode, errors);
}

/**
 * Proves the short form of `npm run chaos`, always with the same faults. The times in which a run goes on after its
 * worker was killed are for an idle machine, which this one is not.
 */
async function chaos(run) {
  await ensureBuild(run.root);
  const [goesOn, cancelled] = [120, 60].map((seconds) => seconds * patienceAt(run.pace));
  const patience = [`--goes-on-within=${goesOn}`, `--cancelled-within=${cancelled}`];
  return countCheck(await run.node(['tools/chaos/chaos.mjs', ...CHAOS, ...patience]));
}

/**
 * The URL of the next database of Redis. Suites start own services in the first one, and a queue has one service only.
 */
function nextRedisDatabase(redisUrl) {
  const url = new URL(redisUrl);
  url.pathname = `/${Number(url.pathname.slice(1) || 0) + 1}`;
  return url.href;
}
