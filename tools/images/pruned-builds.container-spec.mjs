/**
 * Starts the three apps as their images do, each from its pruned build in a folder outside of the repository. This runs
 * beside the end-to-end tests, which need the built apps too. MILLRACE_PRUNED_BUILDS names a folder with builds that
 * `npm run check-images` has made.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { documentsIn } from '../deploy/kubernetes.mjs';
import { parseEnvironment, readCompose } from '../deploy/compose.mjs';
import { code, trigger } from '../flow-steps.mjs';
import { makeEnvironment } from '../make-secrets.mjs';
import { httpRequest } from '../start/http-request.mjs';
import { waitUntil } from '../running-processes.mjs';
import { freePort } from '../tcp-ports.mjs';
import { Container, whyNotContained } from './container.mjs';
import { readImage } from './dockerfile.mjs';
import { APPS, layOutApp } from './pruned-build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PUBLIC_URL = 'https://flows.test';
const WRONG_SETTINGS = 78;
const PORT_OF = { api: 'SVC_API_PORT', 'webhook-gateway': 'SVC_PORT', worker: 'SVC_WORKER_PORT' };

/** The folder that has been built already, if there is one. */
const built = process.env.MILLRACE_PRUNED_BUILDS;
const folder = built ?? mkdtempSync(join(tmpdir(), 'millrace-images-'));
const problem = whyNotContained();
/** @type {Map<string, Container>} */
const running = new Map();
const ports = new Map();
/** @type {Record<string, string>} */
const environment = { ...parseEnvironment(makeEnvironment()), SVC_PUBLIC_URL: PUBLIC_URL };
const { services } = readCompose(root, environment);

/** Where this machine gets packages from, if the settings of npm do not say so. */
const registry = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) =>
    /^(npm_config_(registry|cafile|globalconfig)|NODE_EXTRA_CA_CERTS)$/.test(name) ? [[name, value]] : [],
  ),
);

const urlOf = (app) => `http://127.0.0.1:${ports.get(app)}`;

/** What compose.yml gives to the app, with the addresses of this machine. */
function settingsOf(app) {
  const addresses = {
    SVC_DATABASE_URL: process.env.MILLRACE_IMAGES_DATABASE_URL ?? '',
    [PORT_OF[app]]: String(ports.get(app)),
    ...(app === 'webhook-gateway' && { SVC_API_UPSTREAM_URL: urlOf('api') }),
    ...(app === 'worker' && { SVC_API_URL: urlOf('api') }),
    ...(app !== 'worker' && { SVC_SHUTDOWN_DELAY_SECONDS: '0' }),
  };
  return { ...services[app].environment, ...addresses, ...registry };
}

function start(app, settings = settingsOf(app), args = []) {
  const container = new Container({
    folder: join(folder, app),
    image: readImage(root, app),
    environment: settings,
    isContained: problem === undefined,
    args,
  });
  running.set(app, container);
  return container;
}

async function call(method, path, body) {
  const { status, text } = await httpRequest(`${urlOf('webhook-gateway')}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${environment.SVC_ADMIN_API_KEY}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    timeoutMs: 120_000,
  });
  assert.ok(status < 400, `${method} ${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}

const IS_NUMBER = "import isNumber from 'is-number';\nexport const code = async ({ value }) => isNumber(value);";
const sourceCode = { code: IS_NUMBER, packageJson: JSON.stringify({ dependencies: { 'is-number': '7.0.0' } }) };

/** A flow whose code step needs a package of the registry. It answers the sender of its webhook. */
const flow = {
  displayName: 'Needs a package',
  schemaVersion: '20',
  notes: [],
  trigger: trigger(code('step_1', IS_NUMBER, { value: '{{trigger.body.value}}' }, undefined, { sourceCode })),
};

describe(`the pruned builds, ${problem === undefined ? 'contained' : `not contained (${problem})`}`, () => {
  before(async () => {
    chmodSync(folder, 0o755);
    for (const app of APPS) {
      ports.set(app, await freePort());
      if (!built) layOutApp(root, app, join(folder, app));
    }
  });

  after(async () => {
    for (const container of running.values()) container.end();
    if (!built) rmSync(folder, { recursive: true, force: true });
  });

  it('end at once when they are told to stop while they wait for the database', async () => {
    const worker = start('worker');
    await worker.untilSays('migration');

    assert.notEqual(await worker.stop(), null);
  });

  it('do not start with the values of the example Secrets', async () => {
    const example = documentsIn(readFileSync(join(root, 'deploy/kubernetes/secrets.example.yaml'), 'utf8'));
    const values = Object.assign({}, ...example.map(({ stringData }) => stringData));
    const { SVC_JWT_SECRET, SVC_WORKER_TOKEN, SVC_ENCRYPTION_KEY } = values;
    const api = start('api', { ...settingsOf('api'), SVC_JWT_SECRET, SVC_WORKER_TOKEN, SVC_ENCRYPTION_KEY });

    assert.equal(await api.exitCode(), WRONG_SETTINGS);
    for (const name of ['SVC_JWT_SECRET', 'SVC_WORKER_TOKEN', 'SVC_ENCRYPTION_KEY'])
      assert.match(api.log + api.errors, new RegExp(`${name} is wrong`));
  });

  it('migrate the database as a job of their own', async () => {
    const job = start('api', { SVC_DATABASE_URL: settingsOf('api').SVC_DATABASE_URL }, ['migrate']);

    assert.equal(await job.exitCode(), 0, job.log + job.errors);
  });

  it('start with their settings alone and answer that they are ready', async () => {
    start('api');
    await running.get('api')?.untilReady(urlOf('api'));
    await Promise.all(['worker', 'webhook-gateway'].map((app) => start(app).untilReady(urlOf(app))));

    for (const app of APPS) assert.deepEqual(running.get(app)?.warnings(), [], app);
  });

  it('show the console to a browser', async () => {
    const page = await fetch(urlOf('api'), { headers: { accept: 'text/html' } });
    const [, script] = /<script [^>]*src="([^"]+)"/.exec(await page.text()) ?? [];
    const asset = await fetch(new URL(script ?? '/none', urlOf('api')));

    assert.deepEqual([page.status, asset.status], [200, 200]);
  });

  it('are healthy by the check of their image', () => {
    for (const app of APPS) {
      const image = readImage(root, app);
      const [, ...args] = image.healthCheck ?? [];
      const { status } = spawnSync(process.execPath, args, { env: { ...image.environment, ...settingsOf(app) } });
      assert.equal(status, 0, app);
    }
  });

  it('publish a flow that needs a package, and run it', async () => {
    const { data: projects } = await call('GET', '/projects');
    const { id } = await call('POST', '/flows', { displayName: flow.displayName, projectId: projects[0].id });
    await call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request: flow });
    await call('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });

    const accepted = await call('POST', `/webhooks/${id}`, { value: '7' });

    /** @type {any} */
    let run;
    const hasEnded = async () => {
      run = await call('GET', `/flow-runs/${accepted.id}`);
      return run.finishTime !== undefined && run.finishTime !== null;
    };
    assert.ok(await waitUntil(hasEnded, 60_000), JSON.stringify(run));
    assert.equal(run.steps.step_1.output, true, JSON.stringify(run));
  });

  it('make links with the public URL', async () => {
    assert.equal((await call('GET', '/installation')).publicUrl, PUBLIC_URL);
  });

  it('stop with the exit code 0', async () => {
    const exits = await Promise.all(APPS.map(async (app) => [app, await running.get(app)?.stop()]));

    const said = [...running.values()].map(({ log, errors }) => log + errors).join('\n');
    assert.deepEqual(
      exits,
      [
        ['api', 0],
        ['webhook-gateway', 0],
        ['worker', 0],
      ],
      said,
    );
  });
});
