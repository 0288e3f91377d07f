// `npm run bench -- packages`: measures the hosts in which packages of pieces run, without a service around them.
// Options: --projects=200  --calls=5 (of each project)  --hosts=8  --connections=300  --rounds=5 (of 100 MB)
//   --published=@activepieces/piece-slack@0.17.9,… (fetched by npm; an empty list leaves this part out)
// The processes are behind the strongest walls of this machine. The servers that they call are in this process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { importTypeScript } from '../import-typescript.mjs';
import { compileHostProgram } from '../pieces/host-program.mjs';
import { measurePublished, PUBLISHED } from './published-packages.mjs';
import { CannotContinue, say } from '../progress.mjs';
import { portOf } from '../tcp-ports.mjs';
import { makeThrowAwayFolder, removeThrowAwayFolder } from '../testing/throw-away.mjs';
import { rssMbOfHosts } from './processes.mjs';
import { quantile } from './quantile.mjs';

const MB = 1024 * 1024;
const CALL = { services: {}, timeoutMs: 600_000 };
const LIMITS = { memoryMb: 512, connections: 50, bytesOfCall: 1024 * MB };
const WARM_CALLS = 1_000;
const ROUND_MB = 100;

/** The actions of the package, which is the same for all measurements. */
const SOURCE = `
const net = require('net');
const actions = {
  rest: { props: {}, run: async () => null },
  store: { props: {}, run: ({ store }) => store.get('key') },
  connect: { props: {}, run: async ({ propsValue: { port, times } }) => {
    const took = [];
    for (let n = 0; n < times; n++) {
      const from = performance.now();
      await new Promise((done, fail) => net.connect(port, 'target.example').on('error', fail).on('data', done).on('close', done));
      took.push(performance.now() - from);
    }
    return took;
  } },
  read: { props: {}, run: ({ propsValue: { port } }) => new Promise((done, fail) => {
    let bytes = 0;
    net.connect(port, 'target.example').on('error', fail).on('data', (part) => { bytes += part.length; }).on('end', () => done(bytes));
  }) },
};
exports.measured = {
  metadata: () => ({ displayName: 'Measured', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

export async function benchPackages(args) {
  const options = readOptions(args);
  const folder = makeThrowAwayFolder();
  try {
    const { findWalls, HostPool, HostProcess } = await importTypeScript('libs/piece-hosts/src/index.ts');
    const walls = await findWalls();
    const program = await compileHostProgram(folder);
    const resolve = (_host, port) => Promise.resolve([{ address: '127.0.0.1', port }]);
    const start = () => HostProcess.start({ walls, program, limits: LIMITS, resolve });
    const { network, processes, files, user } = walls;
    console.log('Walls:', { network, processes, files, user });
    const place = aPackage(folder, 'measured');
    console.table(await measureHost(start, place));
    if (options.published.length > 0) console.table(await measurePublished(options.published, { HostPool, start }));
    console.table(await measureConnections(start, place, options.connections));
    console.table(await measureBytes(start, place, options.rounds));
    const pool = new HostPool({ start, hosts: options.hosts, mostIdleMemoryMb: 256 });
    console.table(await measureProjects(pool, folder, options));
    await pool.close();
  } finally {
    removeThrowAwayFolder(folder);
  }
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      projects: { type: 'string', default: '200' },
      calls: { type: 'string', default: '5' },
      hosts: { type: 'string', default: '8' },
      connections: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '5' },
      published: { type: 'string', default: PUBLISHED.join(',') },
    },
  });
  const { published, ...amounts } = values;
  const numbers = Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, Number(value)]));
  const wrong = Object.keys(numbers).find((name) => !Number.isInteger(numbers[name]) || (numbers[name] ?? 0) < 1);
  if (wrong) throw new CannotContinue(`--${wrong} has to be a positive number.`);
  const sizes = /** @type {Record<'projects' | 'calls' | 'hosts' | 'connections' | 'rounds', number>} */ (numbers);
  return { ...sizes, published: published.split(',').filter(Boolean) };
}

function aPackage(parent, name) {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.js'), SOURCE);
  return folder;
}

const requestOf = (action, input = {}) => ({ kind: 'action', action, input, flowId: 'flow', runId: 'run' });

async function call(host, action, input, services = {}) {
  const answer = await host.run(requestOf(action, input), { ...CALL, services });
  if ('error' in answer) throw new Error(answer.error.message);
  return answer.value.output;
}

async function startLoaded(start, folder) {
  const host = await start();
  const answer = await host.load(folder, 'index.js', CALL);
  if ('error' in answer) throw new Error(answer.error.message);
  return host;
}

async function timesOf(amount, work) {
  const took = [];
  for (let n = 0; n < amount; n++) {
    const from = performance.now();
    await work();
    took.push(performance.now() - from);
  }
  return took;
}

const spread = (values) => ({ p50: quantile(values, 0.5, 2), p95: quantile(values, 0.95, 2) });

async function measureHost(start, folder) {
  say('A host alone …');
  const blank = [];
  const starts = await timesOf(5, async () => blank.push(await start()));
  const blankMb = rssMbOfHosts(process.pid);
  for (const each of blank) await each.stop();
  const host = await startLoaded(start, folder);
  const rests = await timesOf(WARM_CALLS, () => call(host, 'rest', {}));
  const asks = await timesOf(WARM_CALLS, () => call(host, 'store', {}, { 'store.get': () => Promise.resolve(null) }));
  await host.stop();
  return {
    'start of a blank host, ms': spread(starts),
    'memory of a blank host, MB': spread(blankMb),
    'warm call, ms': spread(rests.slice(100)),
    'warm call with one into the store, ms': spread(asks.slice(100)),
  };
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** New connections by a host, and the same ones by this process, in turn. */
async function measureConnections(start, folder, times) {
  say(`${times} new connections …`);
  const server = await listening(createServer({ noDelay: true }, (socket) => socket.on('error', () => {}).end('x')));
  const port = portOf(server);
  const direct = () =>
    new Promise((done, fail) => connect(port, '127.0.0.1').on('error', fail).on('data', done).on('close', done));
  const host = await startLoaded(start, folder);
  /** @type {number[][]} */
  const [own = [], byHost = []] = [[], []];
  for (let round = 0; round < 3; round++) {
    own.push(...(await timesOf(times, direct)));
    byHost.push(...(await call(host, 'connect', { port, times })));
  }
  await host.stop();
  server.close();
  const [one, other] = [spread(own), spread(byHost)];
  const more = { p50: Number((other.p50 - one.p50).toFixed(2)), p95: Number((other.p95 - one.p95).toFixed(2)) };
  return { 'new connection, direct, ms': one, 'of a host, ms': other, 'more, ms': more };
}

/** Megabytes that a host reads over its way out. Memory is measured after each round; the first one warms up. */
async function measureBytes(start, folder, rounds) {
  say(`${rounds} times ${ROUND_MB} MB through the way out …`);
  const part = Buffer.alloc(MB);
  const parts = () => Readable.from(Array.from({ length: ROUND_MB }, () => part));
  const server = await listening(createServer((socket) => parts().pipe(socket.on('error', () => {}))));
  const host = await startLoaded(start, folder);
  const memory = {};
  for (let round = 0; round <= rounds; round++) {
    const from = performance.now();
    const bytes = await call(host, 'read', { port: portOf(server) });
    if (bytes !== ROUND_MB * MB) throw new Error(`The host read ${bytes} bytes.`);
    const mbPerSecond = Math.round(ROUND_MB / ((performance.now() - from) / 1_000));
    const workerMb = Math.round(process.memoryUsage().rss / MB);
    memory[`round ${round}`] = { 'MB/s': mbPerSecond, 'worker MB': workerMb, 'host MB': rssMbOfHosts(process.pid)[0] };
  }
  await host.stop();
  server.close();
  return memory;
}

/** Projects with a package each, whose calls all wait from the beginning. Tells when projects are served first and last. */
async function measureProjects(pool, folder, { projects, calls, hosts }) {
  say(`${projects} projects with a package and ${calls} calls each, on ${hosts} hosts …`);
  const packages = Array.from({ length: projects }, (_, n) => aPackage(folder, `project-${n}`));
  const from = performance.now();
  const endings = await Promise.all(
    packages.map((place, n) => Promise.all(Array.from({ length: calls }, () => callIn(pool, `project ${n}`, place)))),
  );
  const seconds = (performance.now() - from) / 1_000;
  const failed = endings.flat().filter((at) => at === null).length;
  const ends = endings.map((of) => of.map((at) => ((at ?? Infinity) - from) / 1_000));
  return {
    'calls that did not succeed': { value: failed },
    'seconds in all': { value: Number(seconds.toFixed(1)) },
    'calls a second': { value: Math.round((projects * calls) / seconds) },
    'first call of a project ended after, s, p50': {
      value: quantile(
        ends.map((of) => Math.min(...of)),
        0.5,
      ),
    },
    'first call of the last project, s': {
      value: quantile(
        ends.map((of) => Math.min(...of)),
        1,
      ),
    },
    'last call of the first project, s': {
      value: quantile(
        ends.map((of) => Math.max(...of)),
        0,
      ),
    },
  };
}

async function callIn(pool, projectId, folder) {
  const wanted = { projectId, package: { folder, main: 'index.js' }, request: requestOf('rest'), ...CALL };
  const answer = await pool.run(wanted).catch(() => null);
  return answer && !('error' in answer) ? performance.now() : null;
}
