import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/** Whether this machine can run a Redis of a test's own. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of one test, which it may freeze, stop and start again. */
export class OwnRedis {
  private server: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<OwnRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((closed) => probe.close(closed));
    const redis = new OwnRedis(port);
    await redis.run();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.server = spawn('redis-server', options, { stdio: 'ignore' });
    while (!(await accepts(this.port)));
  }

  freeze(): void {
    this.server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.server?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
