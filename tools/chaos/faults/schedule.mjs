/**
 * The series of faults of one proof. It depends only on the seed, and on what the proof can do on this machine.
 *
 * S1. The kinds of faults are dealt like cards, each once: first those of ESSENTIAL, in an order of the seed, then those
 *     of FURTHER. When all are dealt, all are dealt again.
 * S2. A fault begins when its share of the webhooks has been sent. So a slow machine gets the same series.
 */
import { chanceOf } from '../../chance.mjs';

/** The apps of a proof by name, each with its role. */
export const APPS = {
  api: 'api',
  'gateway-1': 'webhook-gateway',
  'gateway-2': 'webhook-gateway',
  'worker-1': 'worker',
  'worker-2': 'worker',
};

const REDIS_ONLY = { needs: 'redis' };

/** Even the short form meets these, where they are possible. */
const ESSENTIAL = [
  { kind: 'kill', role: 'worker' },
  { kind: 'freeze', role: 'worker', seconds: [8, 20] },
  { kind: 'restart-postgres' },
  { kind: 'cut-store', store: 'postgres', seconds: [3, 8] },
  { kind: 'rolling-deploy' },
  // One worker is ahead and the other behind, so the leader is wrong too, by more than a run may take.
  { kind: 'shift-clock', minutes: [60], seconds: [5, 10] },
  { kind: 'empty-redis', ...REDIS_ONLY },
];

const FURTHER = [
  { kind: 'kill', role: 'webhook-gateway' },
  { kind: 'kill', role: 'api' },
  { kind: 'freeze', role: 'webhook-gateway', seconds: [3, 8] },
  { kind: 'freeze', role: 'api', seconds: [3, 8] },
  { kind: 'freeze', role: 'redis', seconds: [3, 8], ...REDIS_ONLY },
  { kind: 'kill-postgres' },
  { kind: 'kill-redis', ...REDIS_ONLY },
  { kind: 'fail-over-redis', ...REDIS_ONLY },
  { kind: 'cut-store', store: 'redis', seconds: [3, 8], ...REDIS_ONLY },
  { kind: 'cut-app', seconds: [8, 20] },
  { kind: 'delay', milliseconds: [20, 150], seconds: [5, 10] },
  { kind: 'reset' },
  { kind: 'fill-disk', seconds: [4, 8], needs: 'small disk' },
];

/** The faults are spread over the webhooks, each somewhere in the middle half of its share. */
const EARLIEST = 0.25;
const LATEST = 0.75;

/**
 * @param {object} wanted
 * @param {number} wanted.seed
 * @param {number} wanted.faults how many
 * @param {number} wanted.webhooks how many are sent
 * @param {Set<string>} wanted.has what the proof has, of `redis` and `small disk`
 * @param {string[]} [wanted.kinds] only faults of these kinds; all kinds when it is absent
 */
export function scheduleOf({ seed, faults, webhooks, has, kinds = KINDS_OF_FAULTS }) {
  const cards = deal(seed, faults, ({ needs, kind }) => (!needs || has.has(needs)) && kinds.includes(kind));
  const share = webhooks / faults;
  return cards.map((card, index) => {
    const chance = chanceOf(seed, index + 1);
    const place = EARLIEST + (LATEST - EARLIEST) * (chance.below(1_000) / 1_000);
    return { number: index + 1, afterWebhook: Math.round((index + place) * share), ...drawn(card, chance, has) };
  });
}

function deal(seed, count, isPossible) {
  const chance = chanceOf(seed, 0);
  const [essential, further] = [ESSENTIAL.filter(isPossible), FURTHER.filter(isPossible)];
  const dealt = [...chance.shuffled(essential), ...chance.shuffled(further)];
  while (dealt.length > 0 && dealt.length < count) dealt.push(...chance.shuffled([...essential, ...further]));
  return dealt.slice(0, count);
}

const namesOf = (role) => Object.keys(APPS).filter((name) => APPS[name] === role);

/** Draws what the card leaves open: which process, for how long, by how much. */
function drawn(card, chance, has) {
  const { kind } = card;
  return {
    kind,
    ...(card.role && { target: card.role === 'redis' ? 'redis' : chance.pick(namesOf(card.role)) }),
    ...(kind === 'cut-app' && { target: chance.pick(Object.keys(APPS)) }),
    ...(card.store && { store: card.store }),
    ...((kind === 'delay' || kind === 'reset') && { store: chance.pick(has.has('redis') ? STORES : ['postgres']) }),
    ...(card.minutes && { minutesAhead: shifts(chance.pick(card.minutes), chance) }),
    ...(card.milliseconds && { milliseconds: chance.between(...card.milliseconds) }),
    ...(card.seconds && { seconds: chance.between(...card.seconds) }),
  };
}

/** Puts the clock of one worker ahead and of the other behind, and that of another app either way. */
function shifts(minutes, chance) {
  const [first, second] = chance.shuffled(namesOf('worker'));
  const other = chance.pick(Object.keys(APPS).filter((name) => APPS[name] !== 'worker'));
  return { [first]: minutes, [second]: -minutes, [other]: chance.pick([-minutes, minutes]) };
}

const STORES = ['postgres', 'redis'];
const STORE_NAMES = { postgres: 'PostgreSQL', redis: 'Redis' };

const SENTENCES = {
  kill: ({ target }) => `SIGKILL of ${target}`,
  freeze: ({ target, seconds }) => `${target} stands still for ${seconds} s (SIGSTOP, SIGCONT)`,
  'restart-postgres': () => 'immediate shutdown and restart of PostgreSQL',
  'kill-postgres': () => "SIGKILL of PostgreSQL's first process",
  'kill-redis': () => 'SIGKILL of Redis',
  'empty-redis': () => 'FLUSHALL: Redis loses everything',
  'fail-over-redis': () => 'fail-over of Redis to its replica',
  'cut-store': ({ store, seconds }) => `no network to ${STORE_NAMES[store]} for ${seconds} s`,
  'cut-app': ({ target, seconds }) => `no network from ${target} to any store for ${seconds} s`,
  delay: ({ store, milliseconds, seconds }) =>
    `network to ${STORE_NAMES[store]} slower by ${milliseconds} ms each way, for ${seconds} s`,
  reset: ({ store }) => `all connections to ${STORE_NAMES[store]} reset`,
  'fill-disk': ({ seconds }) => `disk full for ${seconds} s`,
  'shift-clock': ({ minutesAhead, seconds }) =>
    `clocks wrong for ${seconds} s: ${Object.entries(minutesAhead)
      .map(([name, minutes]) => `${name} ${Math.abs(minutes)} min ${minutes < 0 ? 'behind' : 'ahead'}`)
      .join(', ')}`,
  'rolling-deploy': () => 'rolling deploy (SIGTERM and restart of each app in turn)',
};

export const KINDS_OF_FAULTS = Object.keys(SENTENCES);

/** Says in words what the fault does. */
export const sentenceOf = (fault) => SENTENCES[fault.kind](fault);
