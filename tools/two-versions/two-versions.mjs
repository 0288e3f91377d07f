/**
 * `npm run two-versions`: proves that processes of two releases work together on one database, as while an upgrade is
 * rolled out. It builds the release before in a throw-away folder, migrates one database with this release, and lets
 * each gateway work with each worker, with each queue.
 *
 * Options: --from=<commit, branch or tag> the release before (default: the newest tag, without one the commit in base-commit)
 * --queue=postgres|redis|both (default: both, as far as there is a redis-server)
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp, outliveTheReader, readOptions, say } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { hasRedis } from '../testing/redis.mjs';
import { makeThrowAwayFolder, removeThrowAwayFolder } from '../testing/throw-away.mjs';
import { beginLong, beginWait, goesOn, publishFlows, resume, syncAnswers, webhooks } from './checks.mjs';
import { MixedService } from './mixed-service.mjs';
import { buildRelease, releaseBefore } from './releases.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const WRONG_SETTINGS = 78;
/** Where a release has the rule by which it refuses a schema that has gone too far for it. */
const RULE_OF_REFUSAL = 'libs/persistence/src/schema/schema-fit.ts';

/** @typedef {import('./releases.mjs').Release} Release */

const results = [];
const note = (queue, what, problem) => {
  results.push({ queue, what, problem });
  say(`${problem ? 'FAILED' : 'ok    '}  queue in ${queue}: ${what}${problem ? `: ${problem}` : ''}`);
};

/** Notes a check as failed when it throws, so that the others are still tried. */
async function check(queue, what, work) {
  try {
    note(queue, what, await work());
  } catch (/** @type {any} */ error) {
    note(queue, what, error.message);
  }
}

function queuesOf(choice) {
  if (choice === 'postgres' || choice === 'redis') return [choice];
  if (choice !== 'both') throw new CannotContinue('--queue is wrong: it must be postgres, redis or both.');
  if (hasRedis()) return ['postgres', 'redis'];
  say('No redis-server was found, so only the queue in PostgreSQL is tried.');
  return ['postgres'];
}

async function prove(queue, releases, folder) {
  const service = new MixedService(folder, queue);
  try {
    await service.startStores();
    const code = await service.runCommand(releases.new, 'migrate');
    if (code !== 0) throw new CannotContinue(`The migrations of the new release ended with ${code}.`);
    const oldApi = await service.start(releases.old, 'api');
    const newApi = await service.start(releases.new, 'api');
    const apis = { old: oldApi.url, new: newApi.url };
    const flows = await publishFlows(service, apis.new);
    const waiting = await pair(service, queue, releases, { gateway: 'old', worker: 'new', apis, flows });
    await pair(service, queue, releases, { gateway: 'new', worker: 'old', apis, flows, waiting });
    for (const [killed, next] of [
      ['old', 'new'],
      ['new', 'old'],
    ])
      await exchangeWorkers(service, queue, releases, { killed, next, apis, flows });
    await refusal(service, queue, releases.old, oldApi);
  } finally {
    await service.close();
  }
}

const otherOf = (name) => (name === 'old' ? 'new' : 'old');

/**
 * A gateway of one release with a worker of the other. Each uses the api that is not of its own release. `waiting` is a
 * run that waits since the other pair. @returns a run that waits
 */
async function pair(service, queue, releases, { gateway, worker, apis, flows, waiting = undefined }) {
  const door = await service.start(releases[gateway], 'webhook-gateway', apis[otherOf(gateway)]);
  const hand = await service.start(releases[worker], 'worker', apis[otherOf(worker)]);
  const parts = { gateway: door.url, apis, flows };
  const names = `${gateway} gateway, ${worker} worker`;
  await check(queue, `webhooks (${names})`, () => webhooks(service, parts));
  await check(queue, `sync answers (${names})`, () => syncAnswers(service, parts));
  if (waiting)
    await check(queue, `a wait of a ${otherOf(worker)} worker goes on in the ${worker} one`, () =>
      resume(service, parts, waiting),
    );
  const paused = await beginWait(service, parts).catch((error) => note(queue, `a wait (${names})`, error.message));
  await check(queue, `the ${gateway} gateway and the ${worker} worker stop with 0`, async () => {
    const codes = [await service.stop(door), await service.stop(hand)];
    return codes.every((code) => code === 0) ? undefined : `they ended with ${codes.join(' and ')}`;
  });
  return paused;
}

/** A worker is killed in the middle of a run, and a worker of the other release goes on; that one also resumes a wait. */
async function exchangeWorkers(service, queue, releases, { killed, next, apis, flows }) {
  const door = await service.start(releases[next], 'webhook-gateway', apis[killed]);
  const first = await service.start(releases[killed], 'worker', apis[next]);
  const parts = { gateway: door.url, apis, flows };
  const what = `${killed} worker is killed, ${next} one goes on`;
  try {
    const paused = await beginWait(service, parts);
    const begun = await beginLong(service, parts);
    await service.stop(first, 'SIGKILL');
    const second = await service.start(releases[next], 'worker', apis[killed]);
    await check(queue, `a run: ${what}`, () => goesOn(service, parts, begun));
    await check(queue, `a wait: ${what}`, () => resume(service, parts, paused));
    await service.stop(second);
  } catch (/** @type {any} */ error) {
    note(queue, what, error.message);
  }
  await service.stop(door);
}

/** The old release refuses a schema from which a later one has taken what it needs (docs/database.md). */
async function refusal(service, queue, /** @type {Release} */ old, oldApi) {
  if (!existsSync(join(old.root, RULE_OF_REFUSAL)))
    return say('        The old release has no rule yet by which it refuses a schema that is too new.');
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const later = 'TakesAway9999999999999';
  await client.query('insert into migration (timestamp, name, needs) values (0, $1, $1)', [later]);
  await check(queue, 'the old release refuses a schema that a later one has taken from', async () => {
    await service.stop(oldApi);
    const again = await service.launch(old, 'api');
    const code = await again.ended;
    return code === WRONG_SETTINGS ? undefined : `its api ended with ${code}`;
  });
  await client.query('delete from migration where name = $1', [later]);
  await client.end();
}

async function main() {
  const values = readOptions({ from: { type: 'string' }, queue: { type: 'string', default: 'both' } });
  const queues = queuesOf(values.queue);
  const folder = makeThrowAwayFolder();
  const old = await buildRelease(root, values.from ?? releaseBefore(root), folder);
  try {
    await ensureBuild(root);
    const releases = { old: old.release, new: { name: 'new', root } };
    for (const queue of queues) await prove(queue, releases, join(folder, queue));
  } finally {
    old.remove();
    if (results.every(({ problem }) => !problem)) removeThrowAwayFolder(folder);
    else say(`The logs are in ${folder}.`);
  }
  const failed = results.filter(({ problem }) => problem).length;
  say(`${results.length - failed} of ${results.length} checks hold.`);
  return failed === 0 && results.length > 0 ? 0 : 1;
}

outliveTheReader();
try {
  process.exit(await main());
} catch (error) {
  giveUp(error);
}
