// Measures senders that wait for a response, paused runs, and backlogs.
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { setTimeout as wait } from 'node:timers/promises';
import { pacedLoad, round, rssMbOf } from './measure.mjs';
import { findProcesses } from './processes.mjs';
import { quantile } from './quantile.mjs';

/**
 * Measures how long a sender waits for the response. `overheadMs` is the time from the commit of the run's last change
 * to the answer.
 */
export async function syncAnswers(service, db, flow, { seconds, rate }) {
  const { acknowledgeMs, endToEndMs, answered, refused } = await pacedLoad(service, db, flow, {
    seconds,
    rate,
    connections: 64,
    path: '/sync',
  });
  const { rows } = await db.query(
    `select extract(epoch from updated) * 1000 as ended, at from flow_run
       join unnest($1::uuid[], $2::float8[]) as answer (run_id, at) on run_id = id`,
    [answered.map(([runId]) => runId), answered.map(([, at]) => at)],
  );
  const overheads = rows.map(({ ended, at }) => at - Number(ended));
  return {
    rate,
    answerMs: acknowledgeMs,
    runMs: endToEndMs,
    overheadMs: { p50: quantile(overheads, 0.5), p99: quantile(overheads, 0.99) },
    refused,
  };
}

export async function flood(url, amount, bodyOf) {
  const child = fork(fileURLToPath(new URL('flood.mjs', import.meta.url)));
  child.send({ url, amount, from: bodyOf.from, spreadMs: bodyOf.spreadMs });
  const [result] = await once(child, 'message');
  if (result.failed > 0) throw new Error(`${result.failed} of ${amount} webhooks were refused.`);
  return result;
}

async function countOf(db, flowId, status) {
  const text = 'select count(*)::int as n from flow_run where flow_id = $1 and status = $2';
  return (await db.query(text, [flowId, status])).rows[0].n;
}

async function until(isSo, seconds, what) {
  for (const deadline = Date.now() + seconds * 1_000; Date.now() < deadline; await wait(250)) if (await isSo()) return;
  throw new Error(`${what} took longer than ${seconds} s.`);
}

const settledRss = async (service) => {
  await wait(3_000);
  return rssMbOf(service);
};

/** Measures many runs that each wait for their own moment: the memory while they wait, and how late they continue. */
export async function pausedRuns(service, db, flow, { amount, spreadSeconds }) {
  const url = `${service.base}/api/v1/webhooks/${flow.id}`;
  await flood(url, 500, { from: Date.now(), spreadMs: 0 });
  await until(async () => (await countOf(db, flow.id, 'SUCCEEDED')) === 500, 60, 'Warming up');
  const before = await settledRss(service);
  // All runs must be paused before the first one is due.
  const from = Date.now() + Math.ceil(amount / 250) * 1_000 + 20_000;
  await flood(url, amount, { from, spreadMs: spreadSeconds * 1_000 });
  await until(async () => (await countOf(db, flow.id, 'PAUSED')) === amount, amount / 100 + 60, 'Pausing all runs');
  if (Date.now() > from) throw new Error('The first run was due before all of them waited.');
  const whilePaused = await settledRss(service);
  await until(
    async () => (await countOf(db, flow.id, 'SUCCEEDED')) === amount + 500,
    (from - Date.now()) / 1_000 + spreadSeconds + 120,
    'Waking all runs',
  );
  const { rows } = await db.query(
    `select percentile_cont(array[0.5, 0.99, 1]) within group (order by late) as late from (
       select extract(epoch from request.ended_at - request.due) * 1000 as late
         from run_request request join flow_run run on run.id = request.run_id
        where run.flow_id = $1 and request.due >= to_timestamp($2::float8 / 1000)) as waits`,
    [flow.id, from],
  );
  const [p50, p99, worst] = rows[0].late.map((ms) => round(ms, 0));
  return { amount, spreadSeconds, lateMs: { p50, p99, worst }, rssMb: before, rssMbWhilePaused: whilePaused };
}

/**
 * Makes a backlog: sends runs while the worker is stopped, calls `meanwhile`, and lets the worker continue.
 * @param {() => unknown} [meanwhile]
 */
async function leaveBacklog(service, db, flow, amount, meanwhile = () => undefined) {
  const url = `${service.base}/api/v1/webhooks/${flow.id}`;
  await flood(url, 500, { from: 0, spreadMs: 0 });
  await until(async () => (await countOf(db, flow.id, 'SUCCEEDED')) === 500, 60, 'Warming up');
  const workers = findProcesses(service).flatMap(({ role, pids }) => (role === 'worker' ? pids : []));
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  await flood(url, amount, { from: 0, spreadMs: 0 });
  await meanwhile();
  for (const pid of workers) process.kill(pid, 'SIGCONT');
}

/** Measures how long a backlog takes to drain, and how long readers of the API wait meanwhile. */
export async function backlog(service, db, flow, { amount }) {
  await leaveBacklog(service, db, flow, amount);
  const start = performance.now();
  const reads = [];
  const headers = { authorization: `Bearer ${service.credentials.apiKey}` };
  const list = `${service.base}/api/v1/flow-runs?projectId=${service.credentials.projectId}&limit=20`;
  const read = async () => {
    const asked = performance.now();
    const answer = await fetch(list, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`A list answered ${answer.status}.`);
    reads.push(performance.now() - asked);
  };
  const underWay = [];
  for (let n = 0; ; n++) {
    underWay.push(read());
    await wait(50);
    if (n % 20 === 0 && (await countOf(db, flow.id, 'SUCCEEDED')) === amount + 500) break;
    if (performance.now() - start > 300_000) throw new Error('The backlog had not drained after 300 s.');
  }
  await Promise.all(underWay);
  return {
    amount,
    drainSeconds: round((performance.now() - start) / 1_000),
    readMs: { p50: quantile(reads, 0.5), p95: quantile(reads, 0.95), p99: quantile(reads, 0.99) },
  };
}

/** Empties Redis under a backlog, and measures the time until the last run has ended. */
export async function emptiedRedis(service, db, flow, { amount }) {
  const redis = new Redis(service.redisUrl);
  await leaveBacklog(service, db, flow, amount, () => redis.flushall());
  const start = performance.now();
  redis.disconnect();
  await until(async () => (await countOf(db, flow.id, 'SUCCEEDED')) === amount + 500, 300, 'Ending all runs');
  return { amount, endedSeconds: round((performance.now() - start) / 1_000) };
}
