/**
 * `npm run fuzz`: sends thousands of requests that are made from the OpenAPI document, most of them wrong in some way.
 * Options: --requests=10000  --seed=<number>  --url=<base URL> --key=<platform key> --data-dir=<its data directory>
 * --slowest=2 (seconds that an answer may take)
 * When --url is absent, the fuzzer starts a service for this run only.
 */
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { giveUp, outliveTheReader, say } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { startService } from '../testing/started-service.mjs';
import { makeThrowAwayFolder } from '../testing/throw-away.mjs';
import { Report } from './report.mjs';
import { operationsOf, requestNumber } from './requests.mjs';
import { answerCheck, rulesWith } from './rules.mjs';
import { senderTo } from './send.mjs';
import { prepareThings } from './things.mjs';

const CONNECTIONS = 8;
const REFRESHED_EVERY = 100;
const SHOWN_EVERY = 1_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    url: { type: 'string' },
    key: { type: 'string' },
    'data-dir': { type: 'string' },
    slowest: { type: 'string', default: '2' },
  },
});
const requests = Number(options.requests);
const seed = Number(options.seed);

/** The service of --url, or a new one that is removed after this run. */
async function serviceToFuzz() {
  if (options.url)
    return { baseUrl: options.url, key: options.key, dataDir: options['data-dir'], stop: () => undefined };
  const folder = makeThrowAwayFolder();
  await ensureBuild(root);
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  const service = await startService({
    root,
    dataDir: join(folder, 'data'),
    environment: { ...environment, SVC_LOG_LEVEL: 'warn' },
  });
  const stop = async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { baseUrl: service.baseUrl, key: service.credentials.apiKey, dataDir: service.dataDir, stop };
}

const readJson = (folder, name) =>
  folder && existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : {};

/** @returns {[what: string, text: string][]} */
function secretsOf({ dataDir }) {
  const { adminPassword, apiKey, jwtSecret, encryptionKey, workerToken } = readJson(dataDir, 'credentials.json');
  const { databaseUrl } = readJson(dataDir, 'running.json');
  return [
    ...Object.entries({ adminPassword, apiKey, jwtSecret, encryptionKey, workerToken, databaseUrl, dataDir }),
    ['the folder of the service', root.replace(/\/$/, '')],
  ];
}

/** Without its project the fuzzer would have nothing left. */
const KEPT = 'DELETE /api/v1/projects/{id}';

async function fuzz(service) {
  const { send, call, close } = senderTo(service.baseUrl, CONNECTIONS);
  const document = JSON.parse((await call({ method: 'GET', path: '/api/v1/openapi.json', key: service.key })).text);
  const { things, refresh, word, keys } = await prepareThings(call, service.key);
  const world = { document, operations: operationsOf(document).filter(({ name }) => name !== KEPT), things, keys };
  const rules = rulesWith({
    secrets: secretsOf(service),
    word,
    slowest: Number(options.slowest),
    answers: answerCheck(document),
  });
  const report = new Report({ seed, baseUrl: service.baseUrl, folder: join(root, 'dist/fuzz'), keys });
  const statuses = new Map();
  let next = 0;

  const one = async (number) => {
    const request = requestNumber(number, seed, world);
    const answer = await send(request);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    for (const problem of rules(request, answer)) report.add(request, answer, problem);
    if (number % REFRESHED_EVERY === REFRESHED_EVERY - 1) await refresh();
    if ((number + 1) % SHOWN_EVERY === 0) say(`${number + 1} requests, ${report.found} kinds of problems.`);
  };
  const worker = async () => {
    while (next < requests) await one(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const alive = await call({ method: 'GET', path: '/api/v1/projects', key: service.key });
  close();
  return { report, statuses, isAlive: alive.status === 200 };
}

function conclude({ report, statuses, isAlive }, hadPids, hasPids) {
  const counts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status || 'no answer'}`);
  say(`${requests} requests with seed ${seed}: ${counts.join(', ')}.`);
  const lines = report.lines();
  if (!isAlive) lines.push('The service does not answer any more.');
  if (JSON.stringify(hadPids) !== JSON.stringify(hasPids)) lines.push('A process of the service has ended meanwhile.');
  console.log(lines.length === 0 ? 'No problem was found.' : lines.join('\n'));
  return lines.length === 0 ? 0 : 1;
}

outliveTheReader();
let service;
try {
  say(`${requests} requests, seed ${seed}.`);
  service = await serviceToFuzz();
  const pids = () => readJson(service.dataDir, 'running.json').pids;
  const hadPids = pids();
  const result = await fuzz(service);
  process.exitCode = conclude(result, hadPids, pids());
  await service.stop();
} catch (error) {
  await service?.stop();
  giveUp(error);
}
