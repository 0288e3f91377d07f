/**
 * The apps of one installation. They are started in the order in which they need each other, and stopped in reverse.
 * The api is first, because it migrates the database and creates the administrator.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepLogsSmall, spawnApp } from './app-process.mjs';
import { environmentFor } from './known-settings.mjs';
import { LauncherLog } from './launcher-log.mjs';
import { waitUntilReady } from './readiness.mjs';
import { during, say } from '../progress.mjs';
import { localUrl } from './settings.mjs';
import { SupervisedApp } from './supervised-app.mjs';

const LOG_CHECK_MS = 60_000;

export class Service {
  #apps = new Map();
  #logCheck;
  /** @type {LauncherLog} */
  #log;
  #hasStopped = false;

  /**
   * @param {object} parts
   * @param {string} parts.root
   * @param {string} parts.appsFolder
   * @param {{ apps: string[], dataDir: string, host: string, port: number, apiPort?: number, publicUrl?: string }} parts.settings
   * @param {{ environmentOf(app: string): object }} parts.credentials
   * @param {number} parts.apiPort
   * @param {number} [parts.workerPort] is given where the worker is waited for
   * @param {string} parts.databaseUrl
   * @param {string} [parts.localDatabaseUrl] the URL of the same database by a socket, for the apps
   * @param {() => number | undefined} [parts.postgresPid] is absent when the database is not ours
   * @param {(error: Error) => void} parts.onHopeless is called when an app cannot run at all
   */
  constructor(parts) {
    const { settings, apiPort, databaseUrl } = parts;
    this.root = parts.root;
    this.appsFolder = parts.appsFolder;
    this.settings = settings;
    this.credentials = parts.credentials;
    this.databaseUrl = databaseUrl;
    this.localDatabaseUrl = parts.localDatabaseUrl ?? databaseUrl;
    this.postgresPid = parts.postgresPid;
    this.onHopeless = parts.onHopeless;
    this.apiPort = apiPort;
    this.workerPort = parts.workerPort;
    /** `gatewayUrl` is the gateway's URL on this machine. `baseUrl` is the URL that callers are told. */
    this.gatewayUrl = localUrl(settings.host, settings.port);
    const knowsPort = settings.apps.includes('api') || settings.apiPort;
    /** The api that another launcher runs on this machine is reached through its gateway, unless its port is set. */
    this.apiUrl = knowsPort ? localUrl('127.0.0.1', apiPort) : this.gatewayUrl;
    this.baseUrl = settings.publicUrl ?? this.gatewayUrl;
  }

  async start(signal) {
    const { apps, dataDir } = this.settings;
    this.#logCheck = setInterval(() => keepLogsSmall(['launcher', ...apps], dataDir), LOG_CHECK_MS);
    this.#log = new LauncherLog(dataDir);
    this.#log.write('info', 'Starting.', { apps, address: this.baseUrl, pid: process.pid, node: process.version });
    if (apps.includes('api')) {
      this.#launch('api');
      await waitUntilReady('api', this.apiUrl, { dataDir, signal });
    }
    if (apps.includes('worker')) this.#launch('worker');
    if (!apps.includes('api') && apps.includes('worker')) await this.#untilWorkerRuns(signal);
    if (apps.includes('webhook-gateway')) {
      this.#launch('webhook-gateway');
      await waitUntilReady('webhook-gateway', this.gatewayUrl, { dataDir, signal });
    }
  }

  /** A worker alone waits for its api, however long that is away, and ends when the api refuses its token. */
  async #untilWorkerRuns(signal) {
    const { host } = this.settings;
    const isReady = () => waitUntilReady('worker', localUrl(host, this.workerPort), { signal, patienceMs: Infinity });
    await during(`The worker registers with the api (${process.env.SVC_API_URL || this.apiUrl})`, isReady);
  }

  #launch(name) {
    const { root, appsFolder, settings } = this;
    const environment = this.#environmentOf(name);
    const app = new SupervisedApp({
      name,
      launch: () => spawnApp({ app: name, root, appsFolder, dataDir: settings.dataDir, environment }),
      onHopeless: this.onHopeless,
      onChange: () => this.writeDown(),
      onRestart: (restart) =>
        this.#log.write('warn', `The ${name} ended and is started again.`, { child: name, ...restart }),
    });
    this.#apps.set(name, app);
    app.start();
  }

  #environmentOf(app) {
    const { settings } = this;
    return environmentFor(app, {
      NODE_ENV: 'production',
      SVC_API_URL: this.apiUrl,
      SVC_API_UPSTREAM_URL: this.apiUrl,
      ...(app === 'api' && { SVC_MIGRATE_ON_START: 'true' }),
      SVC_SHUTDOWN_DELAY_SECONDS: '0', // no load balancer has to notice the shutdown
      ...process.env,
      SVC_HOST: app === 'api' ? '127.0.0.1' : settings.host, // only the gateway is public
      SVC_PUBLIC_URL: this.#publicUrlFor(app),
      SVC_PORT: String(settings.port),
      SVC_API_PORT: String(this.apiPort),
      ...(this.workerPort && { SVC_WORKER_PORT: String(this.workerPort) }),
      SVC_DATABASE_URL: this.localDatabaseUrl,
      SVC_DATA_DIR: settings.dataDir,
      ...this.credentials.environmentOf(app),
    });
  }

  /**
   * When the setting is absent, the gateway tells callers the address at which they reached it, the api takes the cookies
   * of sessions from pages of every name of this machine, and a worker whose api runs elsewhere asks that one. The api
   * makes links with its own address then, so it is told the gateway's where that is another.
   */
  #publicUrlFor(app) {
    const { apps, publicUrl, port } = this.settings;
    const isLocal = this.gatewayUrl === localUrl('127.0.0.1', port);
    const mayBeAbsent = app === 'webhook-gateway' || (app === 'api' && isLocal) || !apps.includes('api');
    return mayBeAbsent ? publicUrl : this.baseUrl;
  }

  /**
   * Writes `running.json`, which tells tools the URLs and processes of the service. It is removed when the service
   * stops.
   */
  writeDown() {
    if (this.#hasStopped) return;
    const apps = Object.fromEntries([...this.#apps].map(([name, app]) => [name, app.pid ?? null]));
    const running = {
      baseUrl: this.baseUrl,
      databaseUrl: this.databaseUrl,
      pids: { launcher: process.pid, postgres: this.postgresPid?.() ?? null, ...apps },
    };
    const unfinished = `${this.#runningFile()}.${process.pid}`;
    try {
      writeFileSync(unfinished, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600 });
      renameSync(unfinished, this.#runningFile());
    } catch (/** @type {any} */ error) {
      rmSync(unfinished, { force: true });
      say(`${this.#runningFile()} is not up to date: ${error.message}`); // a full disk must not end the service
    }
  }

  #runningFile() {
    return join(this.settings.dataDir, 'running.json');
  }

  /** Stops the gateway first, because requests that wait for a run's response still need the api and the worker. */
  async stop(hurry) {
    clearInterval(this.#logCheck);
    this.#log?.write('info', 'Stopping.', { upSeconds: Math.round(process.uptime()) });
    await this.#apps.get('webhook-gateway')?.stop(hurry);
    await Promise.all([this.#apps.get('api')?.stop(hurry), this.#apps.get('worker')?.stop(hurry)]);
    this.#log?.write('info', 'Stopped.');
    this.#hasStopped = true;
    if (this.#wroteLast()) rmSync(this.#runningFile(), { force: true });
  }

  /** Whether this launcher wrote `running.json` last. Another one may run other apps on the same data directory. */
  #wroteLast() {
    try {
      return JSON.parse(readFileSync(this.#runningFile(), 'utf8')).pids.launcher === process.pid;
    } catch {
      return false; // the file was never written
    }
  }
}
