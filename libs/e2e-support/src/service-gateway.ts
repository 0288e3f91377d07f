import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from './free-port';
import { ownEnvironment } from './service-environment';

const root = resolve(__dirname, '../../..');
const ASK_EVERY_MS = 50;

/** Another webhook-gateway of a running service, on its own port, as another machine would run it. */
export class GatewayProcess {
  private constructor(
    private readonly process: ChildProcess,
    readonly baseUrl: string,
  ) {}

  /** Resolves once the gateway is ready. `env` names the stores. Without SVC_PORT the gateway gets a free port. */
  static async start(env: Record<string, string>): Promise<GatewayProcess> {
    const port = env['SVC_PORT'] ?? String(await freePort());
    const child = spawn(process.execPath, ['dist/apps/webhook-gateway/main.cjs'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...ownEnvironment(), SVC_LOG_LEVEL: 'warn', SVC_SHUTDOWN_DELAY_SECONDS: '0', ...env, SVC_PORT: port },
    });
    const gateway = new GatewayProcess(child, `http://127.0.0.1:${port}`);
    while (!(await gateway.isReady())) {
      if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode} at its start.`);
      await new Promise((again) => setTimeout(again, ASK_EVERY_MS));
    }
    return gateway;
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.baseUrl}/api/v1/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Sends SIGTERM and resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode === null) {
      this.process.kill('SIGTERM');
      await once(this.process, 'exit');
    }
    return this.process.exitCode;
  }
}
