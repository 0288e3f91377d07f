/**
 * `npm run chaos`: proves that nothing is lost. It starts a service of its own, sends it numbered webhooks, kills, freezes
 * and cuts off its parts meanwhile, and compares what the senders were told with what is there in the end.
 *
 * Options: --queue=postgres|redis|both|any (default: both, as far as there is a redis-server; any: Redis if there is
 * one, else PostgreSQL)  --seed=<number>
 * --webhooks=5000  --rate=60 (webhooks a second)  --faults=7  --kinds=kill,reset (only these faults)  --long (100,000 webhooks, 20 faults, and the report is
 * written to docs/guarantees.md)  --goes-on-within=30 and --cancelled-within=5 (seconds, for a worker killed in a step
 * of 60 s)
 * The same seed gives the same series of faults and the same webhooks.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp, outliveTheReader, readOptions, say, wholeNumberOf } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { listenForStopRequests } from '../start/stop-requests.mjs';
import { hasRedis } from '../testing/redis.mjs';
import { KINDS_OF_FAULTS } from './faults/schedule.mjs';
import { prove } from './prove.mjs';
import { linesOf, problemsOfTime } from './report/lines.mjs';
import { madeBy, writePage } from './report/page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The short form has the essential faults. */
const SHORT = { webhooks: 5_000, rate: 60, faults: 7, readBack: 300 };
const LONG = { webhooks: 100_000, rate: 120, faults: 20, readBack: 2_000 };

const options = readOptions({
  queue: { type: 'string', default: 'both' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  webhooks: { type: 'string' },
  rate: { type: 'string' },
  faults: { type: 'string' },
  kinds: { type: 'string' },
  long: { type: 'boolean', default: false },
  'goes-on-within': { type: 'string', default: '30' },
  'cancelled-within': { type: 'string', default: '5' },
});
const seed = wholeNumberOf('seed', options.seed);
const limits = {
  goesOnWithinMs: Number(options['goes-on-within']) * 1_000,
  cancelledWithinMs: Number(options['cancelled-within']) * 1_000,
};

/** @returns {import('./prove.mjs').Plan[]} a plan for each queue */
function plans() {
  const form = options.long ? LONG : SHORT;
  const plan = { ...form, seed, ...(options.kinds && { kinds: kindsIn(options.kinds) }) };
  for (const name of ['webhooks', 'rate', 'faults']) {
    plan[name] = Number(options[name] ?? form[name]);
    if (!(plan[name] >= 1)) throw new CannotContinue(`--${name} is wrong: it must be a number from 1.`);
  }
  return queues().map((queue) => ({ ...plan, queue }));
}

function kindsIn(text) {
  const kinds = text.split(',');
  const unknown = kinds.filter((kind) => !KINDS_OF_FAULTS.includes(kind));
  if (unknown.length === 0) return kinds;
  throw new CannotContinue(`--kinds is wrong: there is no ${unknown.join(', ')}, but ${KINDS_OF_FAULTS.join(', ')}.`);
}

/** @returns {('postgres' | 'redis')[]} */
function queues() {
  if (!['postgres', 'redis', 'both', 'any'].includes(options.queue))
    throw new CannotContinue('--queue is wrong: it must be postgres, redis, both or any.');
  if (options.queue === 'postgres') return ['postgres'];
  if (hasRedis()) return options.queue === 'both' ? ['postgres', 'redis'] : ['redis'];
  if (options.queue === 'redis')
    throw new CannotContinue('No redis-server was found (Debian: apt-get install redis-server).');
  say('No redis-server was found, so the proof on Redis is left out (Debian: apt-get install redis-server).');
  return ['postgres'];
}

async function chaos(start) {
  await ensureBuild(root, start.stop.signal);
  const made = madeBy(root);
  const proofs = [];
  mkdirSync(join(root, 'dist'), { recursive: true });
  for (const plan of plans()) {
    say(`${plan.webhooks} webhooks, ${plan.faults} faults, queue on ${plan.queue}, seed ${plan.seed}.`);
    const seen = await prove(plan, { root, ...start });
    const proof = {
      ...seen,
      made: { ...made, load: Math.round(loadavg()[2]) },
      problems: [...seen.problems, ...problemsOfTime(seen.longStep, limits)],
    };
    console.log(`\n${linesOf(proof).join('\n')}\n`);
    proofs.push(proof);
    const file = join(root, `dist/chaos-${options.long ? 'long-' : ''}${plan.queue}.json`);
    writeFileSync(file, `${JSON.stringify(proof, null, 2)}\n`);
  }
  if (options.long) writePage(root);
  return proofs.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

outliveTheReader();
process.chdir(root);
try {
  process.exit(await chaos(listenForStopRequests()));
} catch (error) {
  giveUp(error);
}
