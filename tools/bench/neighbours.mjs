// W10: measures how long a single run of one project waits while slow runs of another project fill the worker.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { portOf } from '../tcp-ports.mjs';
import { rssMbOf } from './measure.mjs';
import { quantile } from './quantile.mjs';
import { flood } from './waiting.mjs';
import { NEIGHBOUR, slowKinds } from './slow-kinds.mjs';

const SAMPLES_PER_SECOND = 4;
/** A run that has not begun or ended after this counts as if it had done so then. */
const GIVE_UP_SECONDS = 30;
const AFTER_SECONDS = 20;

/** Starts a server that answers after the milliseconds in the path. It runs in this process, which is not measured. */
async function startSlowTarget() {
  const server = createServer(async (request, answer) => {
    const { url = '/' } = request;
    request.resume();
    await wait(Number(url.slice(1)), undefined, { ref: false });
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  server.maxConnections = 10_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function sendOne(service, flow) {
  const answer = await fetch(`${service.base}/api/v1/webhooks/${flow.id}`, { method: 'POST', body: '{}' });
  if (!answer.ok) throw new Error(`The neighbour's webhook answered ${answer.status}.`);
  /** @type {any} */
  const { id } = await answer.json();
  return id;
}

/** How many ms each run took from its acceptance to its start, and to the end of its only step. */
async function waitsOf(db, runIds) {
  const text = `select extract(epoch from coalesce(start_time, now()) - uuid_extract_timestamp(id)) * 1000 as start,
           extract(epoch from coalesce(finish_time, now()) - uuid_extract_timestamp(id)) * 1000 as first_step,
           finish_time is not null as ended
      from flow_run where id = any($1::uuid[])`;
  return (await db.query(text, [runIds])).rows;
}

/** Starts one run after another and measures how long they wait, and how much memory the worker has meanwhile. */
export async function sample(service, db, flow, seconds) {
  const ids = [];
  let mostRssMb = 0;
  for (let n = 0; n < seconds * SAMPLES_PER_SECOND; n++) {
    ids.push(await sendOne(service, flow));
    mostRssMb = Math.max(mostRssMb, rssMbOf(service).worker);
    await wait(1_000 / SAMPLES_PER_SECOND);
  }
  let waits = await waitsOf(db, ids);
  for (let n = 0; n < GIVE_UP_SECONDS * 2 && waits.some(({ ended }) => !ended); n++) {
    await wait(500);
    mostRssMb = Math.max(mostRssMb, rssMbOf(service).worker);
    waits = await waitsOf(db, ids);
  }
  const quantiles = (of) => ({ p50: quantile(waits.map(of), 0.5), p99: quantile(waits.map(of), 0.99) });
  return {
    samples: ids.length,
    startMs: quantiles(({ start }) => Number(start)),
    firstStepMs: quantiles(({ first_step }) => Number(first_step)),
    notEnded: waits.filter(({ ended }) => !ended).length,
    mostRssMb,
  };
}

async function statuses(db, flowId) {
  const text = 'select status, count(*)::int as n from flow_run where flow_id = $1 group by status order by status';
  return Object.fromEntries((await db.query(text, [flowId])).rows.map(({ status, n }) => [status, n]));
}

async function cancelAll(service, db, { id, projectId }) {
  for (let round = 0; round < 20; round++) {
    const left = await statuses(db, id);
    if (!left.RUNNING && !left.PAUSED) return;
    const answer = await fetch(`${service.base}/api/v1/flow-runs/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.credentials.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ projectId, flowId: id }),
    });
    if (!answer.ok) throw new Error(`Cancelling answered ${answer.status}: ${await answer.text()}`);
    await wait(1_000);
  }
  throw new Error('The slow runs could not be cancelled.');
}

/** Resolves one second before all of the paused runs are due. Rejects when they are not all paused by then. */
async function untilDue(db, { id }, { due, flooded, amount }) {
  await flooded;
  while ((await statuses(db, id)).PAUSED !== amount) {
    if (Date.now() > due) throw new Error('The first run was due before all of them waited.');
    await wait(250);
  }
  await wait(due - Date.now() - 1_000);
}

async function besideOne(service, db, kind, { publish, seconds, amount }) {
  const [slow, neighbour] = [await publish(kind, 'slow'), await publish(NEIGHBOUR, 'neighbour')];
  await sendOne(service, slow);
  for (let n = 0; n < 10; n++) await sendOne(service, neighbour);
  await wait(1_000);
  await cancelAll(service, db, slow);
  await cancelAll(service, db, neighbour);
  const due = Date.now() + (kind.dueAfterSeconds ?? 0) * 1_000;
  const flooded = flood(`${service.base}/api/v1/webhooks/${slow.id}`, kind.amount ?? amount, {
    from: due,
    spreadMs: 0,
  });
  await wait(1_000);
  if (kind.dueAfterSeconds) await untilDue(db, slow, { due, flooded, amount: kind.amount });
  const measured = await sample(service, db, neighbour, seconds);
  await flooded;
  const slowRuns = await statuses(db, slow.id);
  await cancelAll(service, db, slow);
  if (kind.watchesMemory) await wait(AFTER_SECONDS * 1_000);
  return { title: kind.title, ...measured, slowRuns, rssMbAfter: rssMbOf(service).worker };
}

/** Measures each kind of slow runs. `publish(workload, project)` publishes a workload in the project of that name. */
export async function neighbours(service, db, publish, { kinds, seconds, amount }) {
  const target = await startSlowTarget();
  try {
    const results = {};
    for (const kind of slowKinds(target.url).filter(({ name }) => kinds === 'all' || kinds.split(',').includes(name))) {
      console.error(`W10: a neighbour of ${kind.title} …`);
      results[kind.name] = await besideOne(service, db, kind, { publish, seconds, amount });
    }
    return results;
  } finally {
    target.stop();
  }
}
