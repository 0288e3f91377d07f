// `npm run bench`: loads a running service from outside, prints a table and writes JSON.
// Options: --queue=postgres|redis|both  --seconds=10  --only=W1,W3  --steps=100 (W4 and W5)  --paused=10000 (for W7)
// --backlog=50000 (for W8 and W9)  --kinds=sleep12,http10 (for W10)  --slow=300 (for W10)
// --flows=1000 (for W12)  --minutes=30 (for soak, which runs only when it is named)  --out=dist/bench.json
// Its start and its idle processes are always measured; --only=start measures nothing else.
// W1-lone and W4-sync measure runs while few or no other runs execute.
// --compare=<git ref> [--rounds=3] measures another commit and this checkout in turn. --root=<checkout> measures another.
// `npm run bench -- console` measures the web console in a browser: console/bench-console.mjs has its options.
// `npm run bench -- packages` measures the processes of packages of pieces: packages.mjs has its options.
// `npm run bench -- backup` measures a backup of a large database, and its restore: backup.mjs has its options.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { CannotContinue, giveUp } from '../progress.mjs';
import { benchBackup } from './backup.mjs';
import { compare } from './compare.mjs';
import { benchConsole } from './console/bench-console.mjs';
import { hasRedis } from '../testing/redis.mjs';
import { largeBodies } from './large-bodies.mjs';
import { longRuns } from './long-runs.mjs';
import { liveClients } from './live-clients.mjs';
import { loneRuns } from './lone-runs.mjs';
import { idle, latency, started, throughput } from './measure.mjs';
import { neighbours } from './neighbours.mjs';
import { printReport } from './report.mjs';
import { schedules } from './schedules.mjs';
import { startService } from './service.mjs';
import { signIns } from './sign-ins.mjs';
import { benchPackages } from './packages.mjs';
import { preparePackageCalls } from './package-calls.mjs';
import { overload, slowClients, soak } from './stress.mjs';
import { backlog, emptiedRedis, pausedRuns, syncAnswers } from './waiting.mjs';
import { LONE_WORKLOADS, PACKAGE_WORKLOAD, STEP_WORKLOADS, WAITING_WORKLOADS, WORKLOADS } from './workloads.mjs';

const ALL = 'W1,W2,W3,W4,W5,W6,W7,W8,W9,W10,W11,W12,W13,W14,W15,W16,W1-live,W1-lone,W4-sync';
const [command, ...further] = process.argv.slice(2);
/** What is measured without the workloads, by its own options. */
const ALONE = { console: benchConsole, packages: benchPackages, backup: benchBackup };
const alone = Object.hasOwn(ALONE, command ?? '') ? ALONE[command] : undefined;
const options = readOptions(alone ? [] : process.argv.slice(2));
const seconds = Number(options.seconds);
const chosen = ({ name }) => options.only.split(',').includes(name);
const CONNECTIONS = 64;
const FIXED_RATE = 500;

/** Ends the process for an option or a workload that there is not, in place of measuring nothing. */
function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        queue: { type: 'string', default: 'both' },
        seconds: { type: 'string', default: '10' },
        only: { type: 'string', default: ALL },
        steps: { type: 'string' },
        paused: { type: 'string', default: '10000' },
        backlog: { type: 'string', default: '50000' },
        kinds: { type: 'string', default: 'all' },
        slow: { type: 'string', default: '300' },
        flows: { type: 'string', default: '1000' },
        minutes: { type: 'string', default: '30' },
        compare: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        root: { type: 'string' },
        help: { type: 'boolean' },
        out: { type: 'string', default: 'dist/bench.json' },
      },
    });
    if (values.help) printUsage();
    const known = [...ALL.split(','), 'soak', 'start'];
    const unknown = values.only.split(',').filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new Error(`There is no workload ${unknown.join(', ')}. There are ${known.join(', ')}.`);
    return values;
  } catch (/** @type {any} */ error) {
    giveUp(new CannotContinue(error.message));
    throw error;
  }
}

/** The comment at the head of this file says what there is. */
function printUsage() {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  console.log(source.slice(0, source.indexOf('\nimport ')).replace(/^\/\/ /gm, ''));
  process.exit(0);
}

async function publish(service, workload, projectId = service.credentials.projectId) {
  const call = callerOf(service);
  const flow = await call('POST', '/flows', { displayName: workload.title, projectId });
  const request = { displayName: workload.title, trigger: workload.trigger, schemaVersion: '20', notes: [] };
  await call('POST', `/flows/${flow.id}`, { type: 'IMPORT_FLOW', request });
  return call('POST', `/flows/${flow.id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
}

/** @returns {(method: string, path: string, body?: unknown) => Promise<any>} */
function callerOf(service) {
  return async (method, path, body) => {
    const answer = await fetch(`${service.base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${service.credentials.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
}

/** Returns a function that publishes a workload in the project of a name, and creates that project on first use. */
function publisherIn(service) {
  const projects = new Map();
  return async (workload, name) => {
    if (!projects.has(name)) projects.set(name, await callerOf(service)('POST', '/projects', { displayName: name }));
    return publish(service, workload, projects.get(name).id);
  };
}

async function measureQueue(queue) {
  console.error(`Starting the service on the ${queue} queue …`);
  // HTTP steps call a server on this machine, which the service would refuse otherwise.
  const env = { SVC_SSRF_ALLOW_LIST: '127.0.0.1', SVC_SIGN_UP_ENABLED: 'true' };
  const service = await startService({ queue, env, root: options.root });
  const db = new pg.Client({ connectionString: service.databaseUrl });
  await db.connect();
  try {
    const result = { queue, start: started(service), workloads: {}, steps: {}, waiting: {}, lone: {} };
    for (const workload of WORKLOADS.filter(chosen)) await measureThroughput(queue, service, db, result, workload);
    if (chosen(PACKAGE_WORKLOAD)) {
      const { stop, ...made } = await preparePackageCalls(service);
      await measureThroughput(queue, service, db, result, { ...PACKAGE_WORKLOAD, ...made }).finally(stop);
    }
    for (const workload of STEP_WORKLOADS.filter(chosen)) {
      const flow = await publish(service, workload);
      const steps = Number(options.steps ?? workload.steps);
      console.error(`${queue} ${workload.name}: runs of ${steps} steps, one after the other …`);
      result.steps[workload.name] = { title: workload.title, ...(await longRuns(service, db, flow, workload, steps)) };
    }
    await measureWaiting(queue, service, db, result);
    await measureLone(queue, service, db, result);
    if (chosen({ name: 'W1-live' })) {
      console.error(`${queue} W1-live: W1 with and without clients that watch, in turn …`);
      result.live = await liveClients(service, db, await publish(service, WORKLOADS[0]));
    }
    if (chosen({ name: 'W10' })) {
      const { kinds, slow } = options;
      result.neighbours = await neighbours(service, db, publisherIn(service), { kinds, seconds, amount: Number(slow) });
    }
    if (chosen({ name: 'W12' }))
      result.schedules = await schedules(service, db, publisherIn(service), { flows: Number(options.flows) });
    if (chosen({ name: 'W13' })) result.signIns = await signIns(service);
    await measureStress(queue, service, db, result);
    console.error(`${queue}: idle for 10 s …`);
    result.idleCpuPercent = await idle(service, 10);
    return result;
  } finally {
    await db.end();
    await service.stop();
  }
}

async function measureThroughput(queue, service, db, result, workload) {
  const flow = await publish(service, workload);
  console.error(`${queue} ${workload.name}: warming up with ${workload.warmUp} runs …`);
  const warm = await throughput(service, db, flow, { amount: workload.warmUp, connections: CONNECTIONS });
  const amount = Math.round(warm.finishedPerSecond * seconds);
  console.error(`${queue} ${workload.name}: ${amount} runs as fast as it goes …`);
  const closed = await throughput(service, db, flow, { amount, connections: CONNECTIONS });
  const half = Math.max(1, Math.round(closed.finishedPerSecond / 2));
  console.error(`${queue} ${workload.name}: ${seconds} s at half load (${half}/s) …`);
  const atHalfLoad = await latency(service, db, flow, { seconds, rate: half, connections: CONNECTIONS });
  result.workloads[workload.name] = { title: workload.title, ...closed, atHalfLoad };
  if (workload.name === 'W1') {
    console.error(`${queue} W1: ${seconds} s at ${FIXED_RATE}/s …`);
    result.workloads.W1.atFixedRate = await latency(service, db, flow, {
      seconds,
      rate: FIXED_RATE,
      connections: CONNECTIONS,
    });
  }
}

async function measureStress(queue, service, db, result) {
  const flow = () => publish(service, WORKLOADS[0]);
  if (chosen({ name: 'W14' })) {
    console.error(`${queue} W14: three times what the service can execute …`);
    const flows = { flow: await flow(), neighbour: await publisherIn(service)(WORKLOADS[0], 'neighbour') };
    result.overload = await overload(service, db, flows, { seconds });
  }
  if (chosen({ name: 'W15' })) {
    console.error(`${queue} W15: webhooks beside slow clients …`);
    result.slowClients = await slowClients(service, db, await flow(), { seconds: Math.max(seconds, 45), rate: 50 });
  }
  if (chosen({ name: 'soak' })) {
    console.error(`${queue} soak: ${options.minutes} minutes …`);
    result.soak = await soak(service, db, await flow(), { minutes: Number(options.minutes) });
  }
}

async function measureLone(queue, service, db, result) {
  const flows = {};
  for (const workload of LONE_WORKLOADS.filter(chosen)) flows[workload.name] = await publish(service, workload);
  if (Object.keys(flows).length === 0) return;
  console.error(`${queue} ${Object.keys(flows).join(', ')}: few runs at a time …`);
  result.lone = await loneRuns(service, db, flows, { seconds });
}

/** Measures the workloads of runs and senders that wait. In W7, 250 runs a second become due. */
async function measureWaiting(queue, service, db, { waiting }) {
  const { W6, W7, W8, W9, W11 } = WAITING_WORKLOADS;
  if (chosen(W6)) {
    console.error(`${queue} W6: senders that wait for their answers …`);
    waiting.W6 = await syncAnswers(service, db, await publish(service, W6), { seconds, rate: 100 });
  }
  if (chosen(W7)) {
    const amount = Number(options.paused);
    console.error(`${queue} W7: ${amount} runs that wait …`);
    const flow = await publish(service, W7);
    waiting.W7 = await pausedRuns(service, db, flow, { amount, spreadSeconds: Math.ceil(amount / 250) });
  }
  if (chosen(W8)) {
    const amount = Number(options.backlog);
    console.error(`${queue} W8: a backlog of ${amount} runs …`);
    waiting.W8 = await backlog(service, db, await publish(service, W8), { amount });
  }
  if (chosen(W9) && queue === 'redis') {
    const amount = Number(options.backlog);
    console.error(`${queue} W9: Redis is emptied under a backlog of ${amount} runs …`);
    waiting.W9 = await emptiedRedis(service, db, await publish(service, W9), { amount });
  }
  if (chosen(W11)) {
    console.error(`${queue} W11: small webhooks beside large ones …`);
    const flows = { large: await publish(service, W11), small: await publish(service, W11) };
    waiting.W11 = await largeBodies(service, db, flows, { seconds, rate: 50 });
  }
}

async function measureAll() {
  const queues = options.queue === 'both' ? ['redis', 'postgres'] : [options.queue];
  const results = [];
  for (const queue of queues) {
    if (queue === 'redis' && !hasRedis()) console.error('The PATH has no redis-server: the Redis part is left out.');
    else results.push(await measureQueue(queue));
  }
  const report = {
    at: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0].model,
    cores: cpus().length,
    results,
  };
  printReport(report);
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, JSON.stringify(report, null, 2) + '\n');
  console.log(`\nWritten to ${options.out}`);
}

/** The options of the measurements themselves, as arguments. */
const passedOn = () =>
  Object.entries(options)
    .filter(([name]) => !['compare', 'rounds', 'root', 'out'].includes(name))
    .map(([name, value]) => `--${name}=${value}`);

if (alone) await alone(further).catch(giveUp);
else if (options.compare === undefined) await measureAll();
else await compare(options.compare, { rounds: Number(options.rounds), options: passedOn() });
