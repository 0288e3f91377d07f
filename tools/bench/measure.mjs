// Puts load on a running service for a while and measures its answers, its CPU and its memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsByRole, findProcesses, rssMbByRole, rssMbOfHosts } from './processes.mjs';
import { BODY } from './workloads.mjs';

export async function load(generator, url, options) {
  const child = fork(fileURLToPath(new URL(generator, import.meta.url)));
  child.send({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY, ...options });
  const [result] = await once(child, 'message');
  return result;
}

export const minus = (after, before) =>
  Object.fromEntries(Object.keys(after).map((role) => [role, after[role] - before[role]]));
export const sum = (values) => Object.values(values).reduce((total, value) => total + value, 0);
export const round = (value, digits = 1) => Number(value.toFixed(digits));

export const rssMbOf = (service) =>
  Object.fromEntries(Object.entries(rssMbByRole(findProcesses(service))).map(([role, mb]) => [role, Math.round(mb)]));

export async function waitUntilDrained(db, flowId, seconds = 60) {
  for (let second = 0; second < seconds * 5; second++) {
    const { rows } = await db.query(
      `select count(*)::int as open from flow_run where flow_id = $1 and status = 'RUNNING'`,
      [flowId],
    );
    if (rows[0].open === 0) return;
    await wait(200);
  }
  throw new Error(`Runs of flow ${flowId} had not ended ${seconds} s after the load.`);
}

/** Sends `amount` webhooks as fast as the service takes them. The time counts until the last run has ended. */
export async function throughput(service, db, flow, { amount, connections }) {
  const url = `${service.base}/api/v1/webhooks/${flow.id}`;
  const roles = () => findProcesses(service);
  const cpuBefore = cpuMsByRole(roles());
  const { rows: start } = await db.query('select now() as at');
  const result = await load('load.mjs', url, { amount, connections });
  await waitUntilDrained(db, flow.id);
  const cpu = minus(cpuMsByRole(roles()), cpuBefore);
  const { rows } = await db.query(
    `select count(*)::int as runs, count(*) filter (where status = 'SUCCEEDED')::int as succeeded,
            extract(epoch from max(finish_time) - min(uuid_extract_timestamp(id)))::float as seconds
       from flow_run where flow_id = $1 and uuid_extract_timestamp(id) >= $2::timestamptz - interval '1 second'`,
    [flow.id, start[0].at],
  );
  const { runs, succeeded, seconds: took } = rows[0];
  return {
    finishedPerSecond: round(runs / took, 0),
    runs,
    notSucceeded: runs - succeeded,
    refused: result.failed,
    cpuMsPerRun: round(sum(cpu) / runs, 3),
    cpuUsPerRunByProcess: Object.fromEntries(
      Object.entries(cpu).map(([role, ms]) => [role, Math.round((ms * 1_000) / runs)]),
    ),
    rssMb: rssMbOf(service),
  };
}

/** Sends webhooks at a fixed rate (an open loop). Measures, in ms, how long senders wait and how long runs take. */
export async function latency(...load) {
  const { rate, acknowledgeMs, endToEndMs, refused } = await pacedLoad(...load);
  return { rate, acknowledgeMs, endToEndMs, refused };
}

/** Does the same as `latency`, and also returns the moment at which each run was answered. */
export async function pacedLoad(service, db, flow, { seconds, rate, connections, path = '' }) {
  const url = `${service.base}/api/v1/webhooks/${flow.id}${path}`;
  const { rows: start } = await db.query('select now() as at');
  const result = await load('paced-load.mjs', url, { duration: seconds, connections, rate });
  await waitUntilDrained(db, flow.id);
  const { rows } = await db.query(
    `select percentile_cont(0.5) within group (order by ms) as p50, percentile_cont(0.99) within group (order by ms) as p99
       from (select extract(epoch from finish_time - uuid_extract_timestamp(id)) * 1000 as ms from flow_run
              where flow_id = $1 and uuid_extract_timestamp(id) >= $2::timestamptz) as runs`,
    [flow.id, start[0].at],
  );
  return {
    rate,
    acknowledgeMs: { p50: result.latency.p50, p99: result.latency.p99 },
    endToEndMs: { p50: round(Number(rows[0].p50)), p99: round(Number(rows[0].p99)) },
    refused: result.failed,
    answered: result.answered,
  };
}

/** How long the service took to start in an empty folder, and what it takes then, before its first run: memory, and processes of packages. */
export function started(service) {
  const workers = findProcesses(service).find(({ role }) => role === 'worker')?.pids ?? [];
  const hosts = workers.flatMap((pid) => rssMbOfHosts(pid)).length;
  return { seconds: service.startSeconds, rssMb: rssMbOf(service), hosts };
}

/** The CPU of each process while no run executes, in percent of one core. */
export async function idle(service, seconds) {
  const before = cpuMsByRole(findProcesses(service));
  await wait(seconds * 1_000);
  const used = minus(cpuMsByRole(findProcesses(service)), before);
  return Object.fromEntries(Object.entries(used).map(([role, ms]) => [role, round(ms / (seconds * 10), 2)]));
}
