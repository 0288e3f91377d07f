// The service under more than it can take: webhooks at three times the rate that it can execute, clients that hardly
// send, and hours of work.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { load, pacedLoad, round, rssMbOf, throughput, waitUntilDrained } from './measure.mjs';
import { quantile } from './quantile.mjs';
import { rssGrowth } from './rss-growth.mjs';
import { BODY } from './workloads.mjs';

const WARM_UP = { amount: 6_000, connections: 64 };
const OVERLOAD = 3;
/** So many senders that a gateway without bounds holds thousands of requests, and no request waits for a sender. */
const SENDERS = 8_000;
const NEWCOMER_EVERY_MS = 50;
const SLOW_CLIENTS = 500;
/** The share of the rate that the service can execute. */
const SOAK_SHARE = 0.6;
const SAMPLE_EVERY_MS = 10_000;

/**
 * W14: three times the webhooks that the service can execute. Each one is accepted, or refused with 429 or 503. Beside them a
 * neighbour, a flow of another project, gets some webhooks on new connections.
 */
export async function overload(service, db, { flow, neighbour }, { seconds }) {
  const { finishedPerSecond } = await throughput(service, db, flow, WARM_UP);
  const rate = OVERLOAD * finishedPerSecond;
  const memory = watchMemory(service, 100);
  const url = `${service.base}/api/v1/webhooks/${flow.id}`;
  const { rows: start } = await db.query('select now() as at');
  const newcomers = sendNewcomers(`${service.base}/api/v1/webhooks/${neighbour.id}`);
  const result = await load('many-senders.mjs', url, { duration: seconds, connections: SENDERS, rate });
  const peak = memory.stop();
  const neighbours = await newcomers.stop();
  await waitUntilDrained(db, flow.id, 600);
  const { rows } = await db.query(
    `select count(*)::int as runs from flow_run where flow_id = $1 and uuid_extract_timestamp(id) >= $2::timestamptz`,
    [flow.id, start[0].at],
  );
  const { 200: accepted = 0, ...others } = result.outcomes;
  return {
    sustainable: finishedPerSecond,
    rate,
    sent: rate * seconds,
    accepted,
    others,
    runs: rows[0].runs,
    acceptedMs: result.latency,
    sendersLateMs: result.late,
    neighbours,
    peakRssMb: peak,
  };
}

/** Sends a webhook every NEWCOMER_EVERY_MS on a connection of its own. `stop` returns how long they waited. */
function sendNewcomers(url) {
  const answers = [];
  const sending = setInterval(() => {
    const began = performance.now();
    const headers = { 'content-type': 'application/json', connection: 'close' };
    answers.push(
      fetch(url, { method: 'POST', headers, body: BODY }).then(
        ({ status }) => ({ status, ms: performance.now() - began }),
        (error) => ({ status: error.cause?.code ?? error.message, ms: performance.now() - began }),
      ),
    );
  }, NEWCOMER_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(sending);
      const all = await Promise.all(answers);
      const waits = all.map(({ ms }) => ms);
      const accepted = all.filter(({ status }) => status === 200).length;
      return { sent: all.length, accepted, p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
    },
  };
}

/** W15: how long webhooks wait beside clients that send a byte a second or do not read their answers. */
export async function slowClients(service, db, flow, { seconds, rate }) {
  await pacedLoad(service, db, flow, { seconds: 2, rate, connections: 64 });
  const alone = await pacedLoad(service, db, flow, { seconds, rate, connections: 64 });
  const memory = watchMemory(service, 100);
  const clients = fork(fileURLToPath(new URL('slow-clients.mjs', import.meta.url)));
  clients.send({ url: `${service.base}/api/v1/webhooks/${flow.id}`, clients: SLOW_CLIENTS });
  await once(clients, 'message');
  const beside = await pacedLoad(service, db, flow, { seconds, rate, connections: 64 });
  clients.send('end');
  const [{ cut }] = await once(clients, 'message');
  return {
    clients: SLOW_CLIENTS,
    cut,
    rate,
    alone: { acknowledgeMs: alone.acknowledgeMs, refused: alone.refused },
    beside: { acknowledgeMs: beside.acknowledgeMs, refused: beside.refused },
    peakRssMb: memory.stop(),
  };
}

/** Soak: webhooks at 60 % of the rate that the service can execute, for so many minutes, and the memory meanwhile. */
export async function soak(service, db, flow, { minutes }) {
  const { finishedPerSecond } = await throughput(service, db, flow, WARM_UP);
  const rate = Math.round(finishedPerSecond * SOAK_SHARE);
  const samples = [];
  const started = performance.now();
  const sampling = setInterval(
    () => samples.push({ minute: (performance.now() - started) / 60_000, rssMb: rssMbOf(service) }),
    SAMPLE_EVERY_MS,
  );
  const windows = [];
  for (let minute = 0; minute < minutes; minute++) {
    const { acknowledgeMs, endToEndMs, refused } = await pacedLoad(service, db, flow, {
      seconds: 60,
      rate,
      connections: 64,
    });
    windows.push({ acknowledgeMs, endToEndMs, refused });
    console.error(`  minute ${minute + 1} of ${minutes}: ${JSON.stringify(rssMbOf(service))} MB`);
  }
  clearInterval(sampling);
  return {
    minutes,
    rate,
    refused: windows.reduce((sum, { refused }) => sum + refused, 0),
    worstAcknowledgeP99Ms: round(Math.max(...windows.map(({ acknowledgeMs }) => acknowledgeMs.p99))),
    growth: rssGrowth(samples, { fromMinute: minutes / 3, windowMinutes: minutes / 6 }),
  };
}

/** Watches the memory of each process. `stop` returns the most that each had, in MB. */
function watchMemory(service, everyMs) {
  const peak = {};
  const look = () => {
    for (const [role, mb] of Object.entries(rssMbOf(service))) peak[role] = Math.max(peak[role] ?? 0, mb);
  };
  const watching = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(watching);
      return peak;
    },
  };
}
