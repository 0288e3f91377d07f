// Measures what a run costs while few or no other runs execute: CPU of all processes, transactions and Redis commands.
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { load, minus, round, sum, throughput, waitUntilDrained } from './measure.mjs';
import { cpuMsByRole, findProcesses } from './processes.mjs';

/** A backend of PostgreSQL reports its counts to the statistics at the latest after it has been idle for 10 s. */
const STATISTICS_LATE_MS = 11_000;
const IDLE_MS = 5_000;
const WARM_UP = { amount: 3_000, connections: 64 };
/** The requests per second at which each run has ended, and the worker is idle again, long before the next one. */
const ONE_AT_A_TIME = 50;

const paced = (rate) => ({ generator: 'paced-load.mjs', connections: 64, rate });
/** Rates of webhooks at an even pace, from one run at a time to about half of what the service can do. */
const PACES = {
  'one at a time': paced(ONE_AT_A_TIME),
  '100/s': paced(100),
  '500/s': paced(500),
  '1,000/s': paced(1_000),
};
const waiting = (connections) => ({ generator: 'lane-load.mjs', path: '/sync', connections });
/** Senders that wait for the response of the flow. Each has a connection of its own. */
const WAITING_SENDERS = { 'one at a time': waiting(1), '10 connections': waiting(10) };

const windowsOf = { 'W1-lone': PACES, 'W4-sync': WAITING_SENDERS };

/** Measures each of `flows`, by workload name. The counts leave out what periodic duties do in the same time. */
export async function loneRuns(service, db, flows, { seconds }) {
  const redis = service.redisUrl ? new Redis(service.redisUrl) : null;
  try {
    for (const flow of Object.values(flows)) await throughput(service, db, flow, WARM_UP);
    const start = await countersOf(db, redis);
    await wait(IDLE_MS);
    let before = await countersOf(db, redis);
    const idle = perMs(start, before);
    const measured = {};
    for (const [name, flow] of Object.entries(flows)) {
      measured[name] = {};
      for (const [pace, options] of Object.entries(windowsOf[name])) {
        const cost = await costOf(service, db, flow, { ...options, duration: seconds });
        const after = await countersOf(db, redis);
        measured[name][pace] = { ...cost, ...perRun(before, after, idle, cost.runs) };
        before = after;
      }
    }
    return measured;
  } finally {
    redis?.disconnect();
  }
}

async function costOf(service, db, flow, { generator, path = '', ...options }) {
  const roles = findProcesses(service);
  const cpuBefore = cpuMsByRole(roles);
  const result = await load(generator, `${service.base}/api/v1/webhooks/${flow.id}${path}`, options);
  await waitUntilDrained(db, flow.id);
  const cpu = minus(cpuMsByRole(roles), cpuBefore);
  return {
    runs: result.ok,
    perSecond: round(result.ok / (result.seconds ?? options.duration), 0),
    answerMs: { p50: result.latency.p50, p99: result.latency.p99 },
    cpuMsPerRun: round(sum(cpu) / result.ok, 2),
    cpuUsPerRunByProcess: Object.fromEntries(
      Object.entries(cpu).map(([role, ms]) => [role, Math.round((ms * 1_000) / result.ok)]),
    ),
    refused: result.failed,
  };
}

async function countersOf(db, redis) {
  await wait(STATISTICS_LATE_MS);
  const { rows } = await db.query(
    'select xact_commit + xact_rollback as done from pg_stat_database where datname = current_database()',
  );
  return { at: performance.now(), transactions: Number(rows[0].done), commands: await commandsOf(redis) };
}

/** The number of commands that clients sent. Commands inside a script do not count. */
async function commandsOf(redis) {
  if (!redis) return 0;
  const counts = [...(await redis.info('commandstats')).matchAll(/cmdstat_(evalsha|bzpopmin):calls=(\d+)/g)];
  return counts.reduce((total, [, , calls]) => total + Number(calls), 0);
}

const perMs = (before, after) => ({
  transactions: (after.transactions - before.transactions) / (after.at - before.at),
  commands: (after.commands - before.commands) / (after.at - before.at),
});

function perRun(before, after, idle, runs) {
  const of = (counter) => round((after[counter] - before[counter] - idle[counter] * (after.at - before.at)) / runs, 2);
  return { transactionsPerRun: of('transactions'), redisCommandsPerRun: of('commands') };
}
