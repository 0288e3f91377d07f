/** Which end-to-end suites run: all of them on PostgreSQL in a long test, and some otherwise. */

/**
 * The suites about how runs get to workers and back, which a long test runs on Redis, too: what the other suites show is
 * decided by PostgreSQL, with either queue.
 */
const ABOUT_THE_QUEUE = [
  ...['kill', 'webhooks', 'sync-webhooks'],
  ...['waiting-runs', 'waiting-kill', 'subflows', 'run-time-limits'],
  ...['runs', 'run-retries', 'cancel-runs', 'recovery'],
  ...['polling', 'schedules', 'flow-control', 'queue-board'],
];

/**
 * Suites that kill, freeze and restart processes, and wait for them, and those that install published packages from the
 * registry. A short test leaves these faults to the chaos, to `kill` and to the integration tests of each, and packages
 * to private ones.
 */
const LONG_PROOFS = [
  'waiting-kill',
  'recovery',
  'effects',
  'freeze',
  'backup',
  'pooler',
  'packages',
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
 * Suites that show in depth what others pass through: every page and every field of the console, files, what packages
 * reach, every sentence of the API's description. They take more than a third of the CPU time of the suites.
 */
const IN_DEPTH = [
  ...['pages', 'piece-forms', 'code-editor', 'expressions', 'saving', 'missing-and-away', 'flow-list-actions'],
  ...['faults', 'undo', 'lost-session', 'missing-parts', 'hostile-values', 'large-run', 'package-steps'],
  ...['event-destinations', 'large-outputs', 'package-webhooks', 'package-services', 'package-api'],
  ...['request-descriptions', 'api-client', 'intake-bounds'],
];

/** A short test has these on Redis: the intake, workers that are killed, and the board. Chaos, too, runs on Redis. */
const ON_REDIS_IN_SHORT = ['kill', 'webhooks', 'queue-board'];

/** The suites that are chosen by their names. */
export const NAMED_SUITES = { ABOUT_THE_QUEUE, LONG_PROOFS, IN_DEPTH, ON_REDIS_IN_SHORT };

const pathsOf = (names) => `/(${names.join('|')})\\.e2e-spec`;
const onlySuites = (names) => ['--testPathPatterns', pathsOf(names)];
const withoutSuites = (names) => ['--testPathIgnorePatterns', pathsOf(names)];

/**
 * Chooses the suites of a queue.
 * @param {string} queue
 * @param {boolean} isLong
 * @returns {string[]} options of jest
 */
export function suitesOf(queue, isLong) {
  if (queue === 'redis') return onlySuites(isLong ? ABOUT_THE_QUEUE : ON_REDIS_IN_SHORT);
  return isLong ? [] : withoutSuites([...LONG_PROOFS, ...IN_DEPTH]);
}
