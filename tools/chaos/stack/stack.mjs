/**
 * A whole service for one proof: an api, two gateways and two workers, their PostgreSQL and, if wanted, their Redis, each
 * restarted when it dies. The apps reach their stores by networks that can fail. The proof itself reaches them directly.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usePostgres } from '../../embedded-postgres.mjs';
import { CannotContinue } from '../../progress.mjs';
import { waitUntil } from '../../running-processes.mjs';
import { spawnApp } from '../../start/app-process.mjs';
import { makeDataDir, openCredentials } from '../../start/credentials.mjs';
import { httpRequest } from '../../start/http-request.mjs';
import { freePort } from '../../tcp-ports.mjs';
import { APPS } from '../faults/schedule.mjs';
import { isStopped } from './process-state.mjs';
import { ProofApp } from './proof-app.mjs';
import { RedisPair } from './redis-pair.mjs';
import { TcpProxy } from './tcp-proxy.mjs';

const CLOCK = fileURLToPath(new URL('shift-clock.cjs', import.meta.url));
const READY_WITHIN_MS = 180_000;
/** Each look asks every app, which asks its stores. On a busy machine that keeps the apps from getting ready. */
const LOOKS_EVERY_MS = 200;
const PORT_SETTINGS = { api: 'SVC_API_PORT', 'webhook-gateway': 'SVC_PORT', worker: 'SVC_WORKER_PORT' };

export class Stack {
  /** @type {Map<string, ProofApp>} */
  apps = new Map();
  /** @type {Awaited<ReturnType<typeof usePostgres>>} */
  postgres = /** @type {any} */ (undefined);
  /** @type {RedisPair} absent when the queue is on PostgreSQL */
  redis = /** @type {any} */ (undefined);
  apiKey = '';
  /** @type {Map<string, { app: string, store: string, proxy: TcpProxy }>} */
  networks = new Map();

  /**
   * @param {object} parts
   * @param {string} parts.root
   * @param {string} parts.folder everything that the service keeps is below it
   * @param {'postgres' | 'redis'} parts.queue
   * @param {import('./small-disk.mjs').SmallDisk} [parts.disk] the disk that has the folder, if it can be filled
   * @param {AbortSignal} parts.signal is aborted when the proof is interrupted; nothing is waited for then
   * @param {(error: Error) => void} parts.onHopeless is called when an app cannot run at all
   */
  static async start(parts) {
    const stack = new Stack(parts);
    try {
      await stack.#startStores();
      await stack.#startApps();
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  constructor(parts) {
    const { root, folder, queue, disk, signal, onHopeless } = parts;
    this.root = root;
    this.folder = folder;
    this.queue = queue;
    this.disk = disk;
    this.signal = signal;
    this.onHopeless = onHopeless;
  }

  app(name) {
    const app = this.apps.get(name);
    if (!app) throw new Error(`There is no app ${name}.`);
    return app;
  }

  /** The gateways' addresses. */
  get gateways() {
    return [...this.apps.values()].filter(({ name }) => APPS[name] === 'webhook-gateway');
  }

  /**
   * The networks of an app, or to a store.
   * @param {{ app?: string, store?: string }} which
   */
  networksOf({ app, store }) {
    const all = [...this.networks.values()];
    return all
      .filter((each) => (!app || each.app === app) && (!store || each.store === store))
      .map((each) => each.proxy);
  }

  /** Calls the api as the administrator. Throws when it does not answer with what was asked for. */
  async call(method, path, /** @type {object | undefined} */ body = undefined) {
    const { status, text } = await httpRequest(`${this.app('api').url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      timeoutMs: 30_000,
    });
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** @returns the names of the apps and stores that are not ready after the time */
  async untilReady(withinMs = READY_WITHIN_MS) {
    let unready = [];
    await waitUntil(
      async () => {
        unready = await this.#unready();
        return unready.length === 0 || this.signal.aborted;
      },
      withinMs,
      LOOKS_EVERY_MS,
    );
    return unready;
  }

  /** The processes whose memory is measured, by name. */
  pids() {
    const apps = [...this.apps.values()].map(({ name, pid }) => [name, pid]);
    return Object.fromEntries([...apps, ...(this.redis ? [['redis', this.redis.pid]] : [])]);
  }

  /** @returns a sentence for each app that did not end as it should */
  async stop(hurry) {
    const apps = [...this.apps.values()];
    for (const app of apps) if (isStopped(app.pid)) app.signal('SIGCONT');
    const how = await Promise.all(apps.map(async (app) => [app.name, await app.stop(hurry)]));
    for (const { proxy } of this.networks.values()) proxy.close();
    await this.redis?.stop();
    await this.postgres?.stop();
    return how
      .filter(([, code]) => code !== undefined && code !== 0)
      .map(([name, code]) => `${name} ended with ${code}`);
  }

  async #unready() {
    const apps = [...this.apps.values()];
    const answers = await Promise.all([...apps, ...(this.redis ? [this.redis] : [])].map((each) => each.isReady()));
    return answers.flatMap((isReady, index) => (isReady ? [] : [apps[index]?.name ?? 'redis']));
  }

  async #startStores() {
    this.postgres = await usePostgres({ folder: join(this.folder, 'postgres') });
    if (this.queue === 'redis') this.redis = await RedisPair.start(this.folder);
  }

  async #startApps() {
    const ports = Object.fromEntries(
      await Promise.all(Object.keys(APPS).map(async (name) => [name, await freePort()])),
    );
    const dataDir = join(this.folder, 'data');
    makeDataDir(dataDir);
    const credentials = openCredentials(dataDir, {});
    this.apiKey = credentials.get('apiKey');
    for (const [name, role] of Object.entries(APPS)) {
      const environment = await this.#environmentOf(name, ports, credentials);
      const own = join(this.folder, 'data', name);
      makeDataDir(own);
      const app = new ProofApp({
        name,
        url: `http://127.0.0.1:${ports[name]}`,
        onHopeless: this.onHopeless,
        launch: () => spawnApp({ app: role, root: this.root, appsFolder: 'dist/apps', dataDir: own, environment }),
      });
      this.apps.set(name, app);
      app.start();
      if (name === 'api') await this.#firstReady(); // it migrates the database before the others look at it
    }
    await this.#firstReady();
  }

  async #firstReady() {
    const unready = await this.untilReady();
    if (unready.length > 0)
      throw new CannotContinue(
        `${unready.join(', ')} did not get ready: correct the problem that the logs in ${this.folder} name.`,
      );
  }

  async #environmentOf(name, ports, credentials) {
    const role = APPS[name];
    const apiUrl = `http://127.0.0.1:${ports.api}`;
    const stores = { postgres: await this.#networkTo(name, 'postgres', () => Number(new URL(this.postgres.url).port)) };
    if (this.redis) stores.redis = await this.#networkTo(name, 'redis', () => this.redis.port);
    return {
      ...withoutSettings(process.env),
      NODE_ENV: 'production',
      NODE_OPTIONS: `--require ${JSON.stringify(CLOCK)}`,
      SVC_LOG_LEVEL: 'warn',
      SVC_HOST: '127.0.0.1',
      [PORT_SETTINGS[role]]: String(ports[name]),
      SVC_DATA_DIR: join(this.folder, 'data', name),
      SVC_DATABASE_URL: withPort(this.postgres.url, stores.postgres),
      ...(stores.redis && { SVC_REDIS_URL: `redis://127.0.0.1:${stores.redis}` }),
      ...SETTINGS[role](apiUrl),
      ...credentials.environmentOf(role),
    };
  }

  async #networkTo(app, store, targetPort) {
    const proxy = await new TcpProxy(targetPort).open();
    this.networks.set(`${app} ${store}`, { app, store, proxy });
    return proxy.port;
  }
}

/**
 * The settings of each role. A balancer needs a moment to see that a gateway or an api is about to close its door: the
 * senders look every quarter of a second, and an answer takes its time while the machine is busy.
 */
const SETTINGS = {
  api: () => ({ SVC_MIGRATE_ON_START: 'true', SVC_SHUTDOWN_DELAY_SECONDS: '1' }),
  'webhook-gateway': (apiUrl) => ({ SVC_API_UPSTREAM_URL: apiUrl, SVC_SHUTDOWN_DELAY_SECONDS: '3' }),
  worker: (apiUrl) => ({ SVC_API_URL: apiUrl, SVC_SSRF_ALLOW_LIST: '127.0.0.1' }),
};

const withoutSettings = (environment) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(SVC_|MILLRACE_|npm_|NODE_OPTIONS)/.test(name)));

function withPort(url, port) {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
