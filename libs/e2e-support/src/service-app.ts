import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { webhookKeyOf } from '@millrace/domain';
import { freePort } from './free-port';
import { ownEnvironment } from './service-environment';

const root = resolve(__dirname, '../../..');
const ASK_EVERY_MS = 50;

/** Another process of an app of a running service, on its own port, as another machine would run it. */
class AppProcess {
  protected constructor(
    private readonly process: ChildProcess,
    readonly baseUrl: string,
  ) {}

  isReady(): Promise<boolean> {
    return this.passes('ready');
  }

  /** Resolves once the process answers, whether it is ready or not. */
  untilLive(): Promise<void> {
    return this.until(() => this.passes('live'));
  }

  /** Resolves once the process is ready. */
  untilReady(): Promise<void> {
    return this.until(() => this.isReady());
  }

  /** Sends SIGTERM and resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode === null) {
      this.process.kill('SIGTERM');
      await once(this.process, 'exit');
    }
    return this.process.exitCode;
  }

  private passes(probe: 'live' | 'ready'): Promise<boolean> {
    return fetch(`${this.baseUrl}/api/v1/health/${probe}`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (this.process.exitCode !== null) throw new Error(`The app ended with ${this.process.exitCode} at its start.`);
      await new Promise((again) => setTimeout(again, ASK_EVERY_MS));
    }
  }
}

const launch = (
  app: 'api' | 'webhook-gateway' | 'worker',
  env: Record<string, string>,
  errorOutput: 'inherit' | 'pipe' = 'inherit',
  args: readonly string[] = [],
): ChildProcess =>
  spawn(process.execPath, [`dist/apps/${app}/main.cjs`, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', errorOutput],
    env: { ...ownEnvironment(), SVC_LOG_LEVEL: 'warn', SVC_SHUTDOWN_DELAY_SECONDS: '0', ...env },
  });

export class GatewayProcess extends AppProcess {
  /**
   * Resolves once the gateway is ready. `env` is that of `launch`.
   */
  static async start(env: Record<string, string>): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.launch(env);
    await gateway.untilReady();
    return gateway;
  }

  /**
   * Resolves at once. `env` names the stores; in place of the encryption key the gateway gets the key
   * that belongs to it. Without SVC_PORT the gateway gets a free port.
   */
  static async launch(env: Record<string, string>): Promise<GatewayProcess> {
    const { SVC_ENCRYPTION_KEY: key = '', ...others } = env;
    const port = env['SVC_PORT'] ?? String(await freePort());
    const webhookKey = webhookKeyOf(Buffer.from(key, 'hex')).toString('hex');
    const child = launch('webhook-gateway', { SVC_WEBHOOK_KEY: webhookKey, ...others, SVC_PORT: port });
    return new GatewayProcess(child, `http://127.0.0.1:${port}`);
  }
}

export class ApiProcess extends AppProcess {
  /** Resolves once the api is ready. `env` is that of `launch`. */
  static async start(env: Record<string, string> & { SVC_DATA_DIR: string }): Promise<ApiProcess> {
    const api = await ApiProcess.launch(env);
    await api.untilReady();
    return api;
  }

  /** Resolves at once. `env` names the stores; the secrets are those of its data directory. */
  static async launch(env: Record<string, string> & { SVC_DATA_DIR: string }): Promise<ApiProcess> {
    const port = String(await freePort());
    const { jwtSecret, encryptionKey, workerToken } = secretsIn(env.SVC_DATA_DIR);
    const secrets = {
      SVC_JWT_SECRET: jwtSecret,
      SVC_ENCRYPTION_KEY: encryptionKey,
      SVC_WORKER_TOKEN: workerToken,
    };
    return new ApiProcess(launch('api', { ...secrets, ...env, SVC_API_PORT: port }), `http://127.0.0.1:${port}`);
  }
}

/** Runs a command of the api to its end. Resolves with its exit code. */
export async function runApiCommand(
  command: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<number | null> {
  const api = launch('api', env, 'inherit', [command, ...args]);
  await once(api, 'exit');
  return api.exitCode;
}

/** Starts a worker that does not keep running. Resolves with its exit code and what it has said. */
export async function endOfWorker(env: Record<string, string>): Promise<{ exitCode: number | null; said: string }> {
  const worker = launch('worker', env, 'pipe');
  let said = '';
  worker.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(worker, 'close');
  return { exitCode: worker.exitCode, said };
}

interface Secrets {
  jwtSecret: string;
  encryptionKey: string;
  workerToken: string;
}

/** The secrets that the launcher has made for a service. */
export const secretsIn = (dataDir: string): Secrets =>
  JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Secrets;
