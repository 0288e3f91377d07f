import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port';
import { GatewayProcess } from './service-app';
import { ownDatabase, type OwnDatabase } from './own-database';
import { ownEnvironment } from './service-environment';
import { ServiceClient } from './service-client';

const root = resolve(__dirname, '../../..');

/** What the launcher says when everything runs. */
const LAST_WORDS = 'Stop it with Ctrl-C';

type App = 'api' | 'worker' | 'webhook-gateway';

/** The content of the file `running.json`, which the launcher writes while it runs. */
interface Running {
  baseUrl: string;
  databaseUrl: string;
  pids: Record<App, number | null>;
}

interface Credentials {
  apiKey: string;
  encryptionKey: string;
  projectId: string;
}

/** A whole service for one suite, which may kill it. The launcher starts it in a throw-away data directory. */
export class ServiceProcess {
  private constructor(
    private readonly launcher: ChildProcess,
    private readonly dataDir: string,
    private readonly database: OwnDatabase | undefined,
    readonly client: ServiceClient,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
    const port = await freePort();
    const database =
      env['SVC_DATABASE_URL'] === undefined ? await ownDatabase(process.env, { isMigrated: true }) : undefined;
    const stores: Record<string, string> = database ? { SVC_DATABASE_URL: database.url } : {};
    const launcher = launch({ SVC_DATA_DIR: dataDir, SVC_PORT: String(port), ...stores, ...env });
    await said(launcher, LAST_WORDS);
    const { apiKey } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
    const baseUrl = `http://127.0.0.1:${port}`;
    return new ServiceProcess(launcher, dataDir, database, new ServiceClient(baseUrl, apiKey));
  }

  /** Starts another worker of this service in its own data directory, as on another machine. */
  async startWorker(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const { baseUrl, databaseUrl } = this.running;
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
    copyFileSync(join(this.dataDir, 'credentials.json'), join(dataDir, 'credentials.json'));
    const own = { SVC_CONTAINER_TYPE: 'WORKER', SVC_DATA_DIR: dataDir };
    const launcher = launch({ ...own, SVC_API_URL: baseUrl, SVC_DATABASE_URL: databaseUrl, ...env });
    await said(launcher, LAST_WORDS);
    return new ServiceProcess(launcher, dataDir, undefined, this.client);
  }

  /** Starts another gateway of this service with its own settings. */
  startGateway(env: Record<string, string> = {}): Promise<GatewayProcess> {
    const { baseUrl, databaseUrl } = this.running;
    const { encryptionKey } = this.credentials;
    const stores = { SVC_DATA_DIR: this.dataDir, SVC_DATABASE_URL: databaseUrl, SVC_ENCRYPTION_KEY: encryptionKey };
    return GatewayProcess.start({ SVC_API_UPSTREAM_URL: baseUrl, ...stores, ...env });
  }

  private get credentials(): Credentials {
    return JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as Credentials;
  }

  /** The data folder of the service. */
  get folder(): string {
    return this.dataDir;
  }

  get databaseUrl(): string {
    return this.running.databaseUrl;
  }

  private get running(): Running {
    return JSON.parse(readFileSync(join(this.dataDir, 'running.json'), 'utf8')) as Running;
  }

  /** The id of the process that runs the app now. The launcher starts another process when this one is killed. */
  pidOf(app: App): number | null {
    return this.running.pids[app] ?? null;
  }

  /** Sends a signal to the app, by default SIGKILL. False when the app was not running. */
  kill(app: App, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): boolean {
    const pid = this.pidOf(app);
    if (pid === null) return false;
    try {
      return process.kill(pid, signal);
    } catch {
      return false; // The process has ended meanwhile.
    }
  }

  /** Freezes the process of the app with SIGSTOP until the returned function is called. */
  freeze(app: App): () => void {
    const pid = this.pidOf(app);
    if (pid === null) throw new Error(`The ${app} is not there.`);
    process.kill(pid, 'SIGSTOP');
    return () => void process.kill(pid, 'SIGCONT');
  }

  /** The lines of the log of an app, or of the launcher. */
  logOf(app: App | 'launcher'): Record<string, unknown>[] {
    const lines = readFileSync(join(this.dataDir, 'logs', `${app}.log`), 'utf8').split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async stop(): Promise<number | null> {
    if (this.launcher.exitCode === null) {
      this.launcher.kill('SIGTERM');
      await once(this.launcher, 'exit');
    }
    await this.database?.drop();
    rmSync(this.dataDir, { recursive: true, force: true });
    return this.launcher.exitCode;
  }
}

function launch(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(root, 'tools/start.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A machine of tests may have no namespaces. Packages run behind the walls that there are.
    env: { ...ownEnvironment(), SVC_LOG_LEVEL: 'warn', SVC_PIECE_ISOLATION: 'basic', ...env },
  });
}

function said(launcher: ChildProcess, words: string): Promise<void> {
  return new Promise((ready, failed) => {
    let output = '';
    const listen = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(words)) ready();
    };
    launcher.stdout?.on('data', listen);
    launcher.stderr?.on('data', listen);
    launcher.once('exit', (code) => failed(new Error(`The service ended with ${code} at its start:\n${output}`)));
  });
}
