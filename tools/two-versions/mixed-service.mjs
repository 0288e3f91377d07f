/** A service whose processes are of two releases, on one database that the new one has migrated. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { usePostgres } from '../embedded-postgres.mjs';
import { CannotContinue } from '../progress.mjs';
import { waitUntil } from '../running-processes.mjs';
import { spawnApp } from '../start/app-process.mjs';
import { makeDataDir, openCredentials } from '../start/credentials.mjs';
import { httpRequest } from '../start/http-request.mjs';
import { freePort } from '../tcp-ports.mjs';
import { startRedis } from '../testing/redis.mjs';

/** @typedef {import('./releases.mjs').Release} Release */
/** @typedef {{ child: import('node:child_process').ChildProcess, url: string, ended: Promise<number | string> }} Running */

const PORTS = { api: 'SVC_API_PORT', 'webhook-gateway': 'SVC_PORT', worker: 'SVC_WORKER_PORT' };
const READY_WITHIN_MS = 180_000;

export class MixedService {
  /** @type {Running[]} */
  #running = [];
  #undo = [];
  #started = 0;
  databaseUrl = '';
  apiKey = '';

  /**
   * @param {string} folder everything that the service keeps is below it
   * @param {'postgres' | 'redis'} queue
   */
  constructor(folder, queue) {
    this.folder = folder;
    this.queue = queue;
  }

  async startStores() {
    makeDataDir(this.folder);
    const postgres = await usePostgres({ folder: join(this.folder, 'postgres'), durable: false });
    this.#undo.push(() => postgres.stop());
    this.databaseUrl = postgres.url;
    this.credentials = openCredentials(this.folder, {});
    this.apiKey = this.credentials.get('apiKey');
    if (this.queue !== 'redis') return;
    const redis = await startRedis(this.folder);
    if (!redis) throw new CannotContinue('Redis did not start.');
    this.#undo.push(redis.stop);
    this.redisUrl = redis.url;
  }

  /** Runs a command of the api of a release. @returns its exit code */
  async runCommand(/** @type {Release} */ release, /** @type {string[]} */ ...args) {
    const environment = this.#environmentOf('api', 0, '');
    const command = spawn(process.execPath, [join(release.root, 'dist/apps/api/main.cjs'), ...args], {
      cwd: release.root,
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (await once(command, 'exit'))[0];
  }

  /**
   * Starts an app of a release, and waits until it is ready. A worker is not waited for: early releases have no port
   * that tells.
   * @param {Release} release
   * @param {'api' | 'webhook-gateway' | 'worker'} app
   * @param {string} [apiUrl] the api that it uses
   */
  async start(release, app, apiUrl = '') {
    const running = await this.launch(release, app, apiUrl);
    const isReady = () => answers(`${running.url}/api/v1/health/ready`);
    if (app !== 'worker' && !(await waitUntil(isReady, READY_WITHIN_MS, 100)))
      throw new CannotContinue(`The ${app} of the ${release.name} release did not get ready: see ${this.folder}.`);
    return running;
  }

  /** Starts an app and returns at once. */
  async launch(release, app, apiUrl = '') {
    const port = await freePort();
    this.#started += 1;
    const dataDir = join(this.folder, `${this.#started}-${release.name}-${app}`);
    makeDataDir(dataDir);
    const environment = { ...this.#environmentOf(app, port, apiUrl), SVC_DATA_DIR: dataDir };
    const child = spawnApp({ app, root: release.root, appsFolder: 'dist/apps', dataDir, environment });
    const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
    const running = { child, url: `http://127.0.0.1:${port}`, ended };
    this.#running.push(running);
    return running;
  }

  /** @returns its exit code or the signal that ended it */
  async stop(/** @type {Running} */ { child, ended }, /** @type {NodeJS.Signals} */ signal = 'SIGTERM') {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  }

  /** Calls an api, or the api behind a gateway, as the administrator. */
  async call(url, method, path, /** @type {object | undefined} */ body = undefined) {
    const { status, text } = await httpRequest(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      timeoutMs: 60_000,
    });
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async close() {
    await Promise.all(this.#running.map((each) => this.stop(each)));
    for (const step of this.#undo.reverse()) await step();
  }

  #environmentOf(app, port, apiUrl) {
    const foreign = /^(SVC_|MILLRACE_|npm_|NODE_OPTIONS)/;
    return {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
      NODE_ENV: 'production',
      SVC_LOG_LEVEL: 'warn',
      SVC_HOST: '127.0.0.1',
      SVC_SHUTDOWN_DELAY_SECONDS: '0',
      [PORTS[app]]: String(port),
      SVC_DATABASE_URL: this.databaseUrl,
      ...(this.redisUrl && { SVC_REDIS_URL: this.redisUrl }),
      ...(app === 'webhook-gateway' && { SVC_API_UPSTREAM_URL: apiUrl }),
      ...(app === 'worker' && { SVC_API_URL: apiUrl }),
      ...this.credentials?.environmentOf(app),
    };
  }
}

const answers = (url) =>
  httpRequest(url, { timeoutMs: 2_000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
