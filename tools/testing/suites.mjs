/** Which suites run: all of them in a long test, and some otherwise. */

/**
 * The suites about how runs get to workers and back, which a long test runs on Redis, too: what the other suites show is
 * decided by PostgreSQL, with either queue.
 */
const ABOUT_THE_QUEUE = [
  ...['kill', 'webhooks', 'sync-webhooks'],
  ...['waiting-runs', 'waiting-kill', 'subflows', 'run-time-limits'],
  ...['api-e2e/src/runs', 'run-retries', 'cancel-runs', 'recovery'],
  ...['polling', 'schedules', 'flow-control', 'flow-control-kills', 'queue-board'],
];

/**
 * Suites that kill, freeze and restart processes, and wait for them, and those that install published packages from the
 * registry. A short test leaves these faults to the chaos, to `kill` on Redis and to the integration tests of each, and
 * packages to private ones.
 */
const LONG_PROOFS = [
  'kill',
  'waiting-kill',
  'flow-control-kills',
  'recovery',
  'effects',
  'freeze',
  'backup',
  'pooler',
  'worker-e2e/src/packages',
  'console-e2e/src/packages',
  'first-package',
  'package-builds',
  'package-choices',
  'package-databases',
  'package-triggers',
  'package-polls',
  'package-oauth2',
  'package-sign-in',
  'package-app-events',
  'package-waits',
  'published-waits',
  'package-faults',
  'package-kills',
  'package-installs',
  'packages-of-administrators',
];

/**
 * Suites that show in depth what others pass through: every page and field of the console beyond a first flow, its runs
 * and the editor, files, what packages reach, every sentence of the API's description, and hostile programs once more,
 * which the sandbox has in its own tests. They take more than half of the CPU time of the end-to-end suites.
 */
const IN_DEPTH = [
  ...['pages', 'piece-forms', 'code-editor', 'expressions', 'saving', 'missing-and-away', 'flow-list-actions'],
  ...['faults', 'undo', 'lost-session', 'missing-parts', 'hostile-values', 'large-run', 'package-steps'],
  ...['console-e2e/src/settings', 'console-e2e/src/connections', 'console-e2e/src/pieces'],
  ...['console-e2e/src/templates', 'trying-out', 'palette', 'sign-up', 'versions', 'run-canvas', 'failures'],
  ...['package-forms', 'compare', 'menu', 'rerun', 'queues'],
  ...['event-destinations', 'large-outputs', 'package-webhooks', 'package-services', 'package-api'],
  ...['hostile-programs', 'hostile-packages', 'worker-e2e/src/connections', 'run-time-limits'],
  ...['run-data-retention', 'github-webhooks', 'tracing'],
  ...['request-descriptions', 'api-client', 'intake-bounds'],
];

/**
 * Suites of libraries and apps by themselves that kill processes, build packages with npm, copy and restore whole
 * databases, or fill them. They take a quarter of the CPU time of these suites.
 */
const UNITS_IN_DEPTH = [
  ...['back-up.int-spec', 'restore-deaths.int-spec', 'bucket-failures.int-spec', 'flow-lists.int-spec'],
  ...['worker/src/killed-runs.int-spec', 'killed-hooks.int-spec', 'killed-polls.int-spec'],
  ...['package-builder.int-spec', 'package-installer.int-spec'],
  ...['redis-cluster.int-spec', 'redis-sentinel.int-spec', 'flow-editor/undo.spec'],
];

/** A short test has these on Redis: the intake, workers that are killed, and the board. Chaos, too, runs on Redis. */
const ON_REDIS_IN_SHORT = ['kill', 'webhooks', 'queue-board'];

/** The end-to-end suites that are chosen by their names. Where several have one name, that of the folder is in it. */
export const NAMED_SUITES = { ABOUT_THE_QUEUE, LONG_PROOFS, IN_DEPTH, ON_REDIS_IN_SHORT };
/** The other suites that are. */
export const NAMED_UNITS = { UNITS_IN_DEPTH };

const pathsOf = (names) => `/(${names.join('|')})\\.e2e-spec`;
const onlySuites = (names) => ['--testPathPatterns', pathsOf(names)];
const withoutSuites = (names) => ['--testPathIgnorePatterns', pathsOf(names)];

/**
 * Chooses the end-to-end suites of a queue.
 * @param {string} queue
 * @param {boolean} isLong
 * @returns {string[]} options of jest
 */
export function suitesOf(queue, isLong) {
  if (queue === 'redis') return onlySuites(isLong ? ABOUT_THE_QUEUE : ON_REDIS_IN_SHORT);
  return isLong ? [] : withoutSuites([...LONG_PROOFS, ...IN_DEPTH]);
}

/**
 * Chooses the suites of libraries and apps by themselves.
 * @param {boolean} isLong
 * @returns {string[]} options of jest
 */
export const unitSuites = (isLong) =>
  isLong ? [] : ['--testPathIgnorePatterns', `/(${UNITS_IN_DEPTH.join('|')})\\.ts$`];
