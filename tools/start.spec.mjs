import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import pg from 'pg';
import { usePostgres } from './embedded-postgres.mjs';
import { commandOf, isAlive, waitUntil } from './running-processes.mjs';
import { UNFINISHED_RESTORE } from './start/unfinished-restore.mjs';
import { webhookKeyOf } from './start/webhook-key.mjs';
import { freePort, portOf } from './tcp-ports.mjs';
import { temporaryFolder } from './testing/temporary-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = [process.execPath, 'tools/start.mjs', '--apps', 'tools/testing/fake-apps'];
/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'];

/**
 * Starts the launcher with fake apps, which never use their database.
 * @param {import('node:test').TestContext} test
 * @param {{ dataDir?: string, argv?: string[], environment?: Record<string, string> }} [options]
 */
async function launch(test, { dataDir: givenDataDir, argv = command, environment = {} } = {}) {
  let launcher;
  let exit;
  test.after(async () => {
    launcher?.kill('SIGTERM');
    await exit; // before the folder is removed
  });
  const dataDir = givenDataDir ?? temporaryFolder(test);
  const port = await freePort();
  const foreign = /^(SVC_|npm_)/;
  const [program, ...args] = argv;
  launcher = spawn(program, args, {
    cwd: root,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
      SVC_DATA_DIR: dataDir,
      SVC_PORT: String(port),
      SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      ...environment,
    },
  });
  exit = once(launcher, 'exit').then(([code, signal]) => code ?? signal);
  const service = { launcher, exit, dataDir, port, output: '' };
  const keep = (chunk) => (service.output += chunk);
  launcher.stdout.on('data', keep);
  launcher.stderr.on('data', keep);
  return service;
}

async function launchUntilReady(test, options) {
  const service = await launch(test, options);
  assert.ok(await waitUntil(() => service.output.includes('Stop it with Ctrl-C'), 30_000), service.output);
  return service;
}

/** A data folder without secrets, whose own database has seen this statement. */
async function dataDirWith(test, statement) {
  const dataDir = temporaryFolder(test);
  chmodSync(dataDir, 0o711); // the database's own account passes through
  const postgres = await usePostgres({ folder: join(dataDir, 'postgres'), durable: false });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(statement);
  await client.end();
  await postgres.stop();
  return dataDir;
}

const running = ({ dataDir }) => JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')).pids;
const appsOf = (service) => ['api', 'webhook-gateway', 'worker'].map((app) => running(service)[app]);
const secretsOf = ({ dataDir }) => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
const allGone = (pids) => waitUntil(() => !pids.some(isAlive), 10_000);

describe('npm start', () => {
  it('ends its start with the base URL, the documentation, the credentials and a curl line for the example flow', async (test) => {
    const service = await launchUntilReady(test);
    const secrets = secretsOf(service);

    assert.ok(service.output.includes(`http://127.0.0.1:${service.port}\n`));
    assert.ok(service.output.includes(`http://127.0.0.1:${service.port}/api/docs\n`));
    assert.ok(service.output.includes(secrets.adminPassword) && service.output.includes(secrets.apiKey));
    assert.ok(service.output.includes(`curl -X POST http://127.0.0.1:${service.port}/api/v1/webhooks/flow-1 `));
  });

  it('names each app in its command line, puts no secret there, and gives an app none of another', async (test) => {
    const service = await launchUntilReady(test);
    const commands = appsOf(service).map(commandOf);

    assert.deepEqual(
      commands.map((line) => /(api|webhook-gateway|worker)\/main\.cjs$/.exec(line)?.[1]),
      ['api', 'webhook-gateway', 'worker'],
    );
    for (const secret of Object.values(secretsOf(service))) assert.ok(!commands.join('\n').includes(secret));
    if (!existsSync('/proc/self/environ')) return;
    const { encryptionKey, adminPassword, apiKey, jwtSecret, workerToken } = secretsOf(service);
    const ofApi = [adminPassword, apiKey, jwtSecret];
    const [api, gateway, worker] = appsOf(service).map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    assert.ok(worker.includes(encryptionKey) && gateway.includes(webhookKeyOf(encryptionKey) ?? 'no key'));
    assert.ok(worker.includes(workerToken));
    for (const secret of [encryptionKey, workerToken, ...ofApi]) assert.ok(!gateway.includes(secret));
    for (const secret of ofApi) assert.ok(!worker.includes(secret));
    assert.ok(!`${api}${gateway}`.includes('SVC_PUBLIC_URL=')); // so that they go by the address of each request
    assert.ok(worker.includes(`SVC_PUBLIC_URL=http://127.0.0.1:${service.port}`));
  });

  it('shows the secrets only the first time, and keeps them', async (test) => {
    const first = await launchUntilReady(test);
    first.launcher.kill('SIGTERM');
    await first.exit;
    const secrets = secretsOf(first);

    const second = await launchUntilReady(test, { dataDir: first.dataDir });

    assert.deepEqual(secretsOf(second), secrets);
    assert.ok(!second.output.includes(secrets.adminPassword) && !second.output.includes(secrets.apiKey));
    assert.ok(second.output.includes(join(first.dataDir, 'credentials.json')));
  });

  it('shows no password for a database that has users, which the api does not give to them', async (test) => {
    const dataDir = await dataDirWith(test, 'create table app_user as select 1 as id');

    const service = await launchUntilReady(test, { dataDir, environment: { SVC_DATABASE_URL: '' } });

    const { adminPassword, apiKey } = secretsOf(service);
    assert.ok(!service.output.includes(adminPassword), service.output);
    assert.match(service.output, /^Administrator +as before: the database has its users/m);
    assert.ok(service.output.includes(apiKey));
  });

  it('stops at a half-restored database with what to do, before it makes secrets that are not those of the backup', async (test) => {
    const dataDir = await dataDirWith(
      test,
      `create table migration as select '${UNFINISHED_RESTORE}' as name, '${UNFINISHED_RESTORE}' as needs`,
    );

    const service = await launch(test, { dataDir, environment: { SVC_DATABASE_URL: '' } });

    assert.equal(await service.exit, 78, service.output);
    assert.match(service.output, /unfinished restore, so nothing was started: run `npm run restore -- <folder>`/);
    assert.ok(!existsSync(join(dataDir, 'credentials.json')));
  });

  it('stops at a database whose secrets it has lost with what to do, before it makes others', async (test) => {
    const dataDir = await dataDirWith(test, 'create table data_key as select 1 as id');

    const service = await launch(test, { dataDir, environment: { SVC_DATABASE_URL: '' } });

    assert.equal(await service.exit, 78, service.output);
    assert.match(service.output, /no new secrets were made\. Put that file back, or set SVC_ENCRYPTION_KEY/);
    assert.ok(!existsSync(join(dataDir, 'credentials.json')));
  });

  for (const signal of STOP_SIGNALS) {
    it(`stops everything on ${signal} and exits with 0`, async (test) => {
      const service = await launchUntilReady(test);
      const apps = appsOf(service);

      service.launcher.kill(signal);

      assert.equal(await service.exit, 0);
      assert.deepEqual(apps.map(isAlive), [false, false, false]);
      const gateway = readFileSync(join(service.dataDir, 'logs/webhook-gateway.log'), 'utf8');
      const api = readFileSync(join(service.dataDir, 'logs/api.log'), 'utf8');
      assert.ok(gateway < api, 'the door closes before the rooms behind it');
    });
  }

  for (const signal of STOP_SIGNALS) {
    it(`stops everything, and npm too exits with 0, when ${signal} goes to the npm process only`, async (test) => {
      const service = await launchUntilReady(test, { argv: ['npm', 'start', '--', ...command.slice(2)] });
      const apps = appsOf(service);

      service.launcher.kill(signal);

      assert.equal(await service.exit, 0);
      assert.deepEqual(apps.map(isAlive), [false, false, false]);
    });
  }

  it('stops when the npm that started it is gone, however it went', async (test) => {
    const service = await launchUntilReady(test, {
      argv: ['sh', '-c', `"${command.join('" "')}"; exit $?`],
      environment: { npm_lifecycle_event: 'start' },
    });
    const pids = [running(service).launcher, ...appsOf(service)];

    service.launcher.kill('SIGKILL');

    assert.ok(await allGone(pids));
  });

  it('leaves no app behind when it is killed itself', async (test) => {
    const service = await launchUntilReady(test);
    const apps = appsOf(service);

    service.launcher.kill('SIGKILL');

    assert.ok(await allGone(apps));
  });

  it('starts an app again that was killed', async (test) => {
    const service = await launchUntilReady(test);
    const killed = running(service).worker;

    process.kill(killed, 'SIGKILL');

    assert.ok(await waitUntil(() => ![killed, null].includes(running(service).worker), 10_000));
    assert.match(service.output, /The worker ended \(SIGKILL\); starting it again\./);
  });

  it('gives up, with the exit code of wrong settings, when an app refuses its settings', async (test) => {
    const service = await launch(test, { environment: { FAKE_EXIT_CODE: '78' } });

    assert.equal(await service.exit, 78);
    assert.match(service.output, /The api does not start with these settings/);
  });

  it('says what to do when the port is taken', async (test) => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    test.after(() => stranger.close());
    const port = portOf(stranger);

    const service = await launch(test, { environment: { SVC_PORT: String(port) } });

    assert.equal(await service.exit, 1);
    assert.match(service.output, new RegExp(`Port ${port} is in use by another program: .* SVC_PORT`));
  });

  it('refuses a data directory on which a service runs already, also with another port, and leaves that alone', async (test) => {
    const first = await launchUntilReady(test);
    const before = running(first);

    const second = await launch(test, { dataDir: first.dataDir });

    assert.equal(await second.exit, 1);
    assert.match(
      second.output,
      new RegExp(`api runs on .* already, started by process ${before.launcher}: .*SVC_DATA_DIR`),
    );
    assert.deepEqual(running(first), before);
  });

  it('does not say that a worker runs which its api refuses', async (test) => {
    const environment = { SVC_CONTAINER_TYPE: 'WORKER', FAKE_EXIT_CODE: '78' };
    const service = await launch(test, { environment });

    assert.equal(await service.exit, 78);
    assert.match(service.output, /The worker does not start with these settings/);
    assert.doesNotMatch(service.output, /The worker runs/);
  });

  it('refuses a worker alone that has no installation, and makes none', async (test) => {
    const environment = { SVC_CONTAINER_TYPE: 'WORKER', SVC_DATABASE_URL: '' };
    const service = await launch(test, { environment });

    assert.equal(await service.exit, 78);
    assert.match(service.output, /set SVC_DATABASE_URL, SVC_API_URL, SVC_ENCRYPTION_KEY and SVC_WORKER_TOKEN/);
    assert.ok(!existsSync(join(service.dataDir, 'postgres')));
  });

  it('starts only the worker when it is told so', async (test) => {
    const service = await launchUntilReady(test, { environment: { SVC_CONTAINER_TYPE: 'WORKER' } });

    assert.deepEqual(Object.keys(running(service)).sort(), ['launcher', 'postgres', 'worker']);
    // The api of this machine is behind the gateway that another launcher runs.
    assert.ok(service.output.includes(`for the api at http://127.0.0.1:${service.port}\n`), service.output);
  });
});
