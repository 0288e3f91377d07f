import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

// Redis in its modes: one server, a master with a replica and a Sentinel, and a Cluster.

export const MASTER_NAME = 'millrace';
/** How soon the others find out that a master is gone. It is long enough for a busy machine, and short for a test. */
const GONE_AFTER_MS = 1_500;

/** By default a master waits five seconds for more replicas before it sends its data to the first. */
const AT_ONCE = { 'repl-diskless-sync-delay': 0 };

/** Redis in one of its modes. */
export interface RedisInstallation {
  /** The value of SVC_REDIS_URL. */
  readonly url: string;
  /** Kills the server that has the queue. Another one takes over by itself. */
  killMaster(): Promise<void>;
  stop(): Promise<void>;
}

export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts one server, whose settings a test may change without disturbing others. */
export async function startRedis(): Promise<{ url: string; client: Redis; stop(): Promise<void> }> {
  const servers = new RedisServers();
  const port = await servers.start({});
  return { url: `redis://127.0.0.1:${port}`, client: servers.clientOf(port), stop: () => servers.stop() };
}

/** Starts a master, its replica and a Sentinel that decides alone. */
export async function startRedisWithSentinel(): Promise<RedisInstallation> {
  const servers = new RedisServers();
  const master = await servers.start({});
  const replica = await servers.start({ replicaof: `127.0.0.1 ${master}` });
  await until(servers.clientOf(replica), async (client) =>
    /master_link_status:up/.test(await client.info('replication')),
  );
  const sentinel = await servers.startSentinel([
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master} 1`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${GONE_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER_NAME} 3000`,
  ]);
  const watching = servers.clientOf(sentinel);
  await until(watching, async (client) => ((await client.call('sentinel', 'replicas', MASTER_NAME)) as []).length > 0);
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel}/${MASTER_NAME}/0`,
    killMaster: async () => {
      const [, port] = (await watching.call('sentinel', 'get-master-addr-by-name', MASTER_NAME)) as [string, string];
      await servers.kill(Number(port));
    },
    stop: () => servers.stop(),
  };
}

/** Starts three masters, and a replica of that one which has the keys of the queue. */
export async function startRedisCluster(keyOfQueue: string): Promise<RedisInstallation> {
  const servers = new RedisServers();
  const options = { 'cluster-enabled': 'yes', 'cluster-node-timeout': GONE_AFTER_MS };
  const ports: number[] = [];
  for (let n = 0; n < 4; n++) ports.push(await servers.start({ ...options, 'cluster-port': await freePort() }));
  const [first, second, third, fourth] = ports.map((port) => servers.clientOf(port)) as [Redis, Redis, Redis, Redis];
  const masters = [first, second, third];
  for (const [n, client] of masters.entries())
    await client.call('cluster', 'addslotsrange', Math.ceil((n * 16_384) / 3), Math.ceil(((n + 1) * 16_384) / 3) - 1);
  for (const port of ports.slice(1)) await first.call('cluster', 'meet', '127.0.0.1', port, servers.busOf(port));
  for (const client of [...masters, fourth])
    await until(
      client,
      async () => ((await client.call('cluster', 'nodes')) as string).trim().split('\n').length === 4,
    );
  const slot = (await first.call('cluster', 'keyslot', keyOfQueue)) as number;
  const owner = Math.floor((slot * 3) / 16_384);
  await fourth.call('cluster', 'replicate', (await masters[owner]?.call('cluster', 'myid')) as string);
  await until(fourth, async () => /master_link_status:up/.test(await fourth.info('replication')));
  for (const client of masters)
    await until(client, async () => /cluster_state:ok/.test((await client.call('cluster', 'info')) as string));
  return {
    url: `redis+cluster://${ports
      .slice(0, 3)
      .map((port) => `127.0.0.1:${port}`)
      .join(',')}`,
    killMaster: () => servers.kill(ports[owner] as number),
    stop: () => servers.stop(),
  };
}

/** Redis servers that end with the test. They keep nothing on disk. */
class RedisServers {
  private readonly folder = mkdtempSync(join(tmpdir(), 'millrace-redis-'));
  private readonly processes = new Map<number, ChildProcess>();
  private readonly buses = new Map<number, number>();
  private readonly clients: Redis[] = [];

  async start(options: Readonly<Record<string, string | number>>): Promise<number> {
    const port = await freePort();
    if (options['cluster-port']) this.buses.set(port, Number(options['cluster-port']));
    const all = { port, bind: '127.0.0.1', dir: this.folder, save: '', appendonly: 'no', ...AT_ONCE, ...options };
    const named = { ...all, 'cluster-config-file': `nodes-${port}.conf` };
    await this.launch(
      port,
      Object.entries(named).flatMap(([name, value]) => [`--${name}`, String(value)]),
    );
    return port;
  }

  async startSentinel(lines: readonly string[]): Promise<number> {
    const port = await freePort();
    const file = join(this.folder, `sentinel-${port}.conf`);
    writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${this.folder}`, ...lines, ''].join('\n'));
    await this.launch(port, [file, '--sentinel']);
    return port;
  }

  clientOf(port: number): Redis {
    // ioredis keeps the process for the last of these times after its connection was closed.
    const client = new Redis({ port, host: '127.0.0.1', disconnectTimeout: 100 });
    client.on('error', () => undefined); // servers are killed on purpose
    this.clients.push(client);
    return client;
  }

  busOf = (port: number): number => this.buses.get(port) ?? 0;

  async kill(port: number): Promise<void> {
    const server = this.processes.get(port);
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    await Promise.all([...this.processes.keys()].map((port) => this.kill(port)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(port: number, args: readonly string[]): Promise<void> {
    this.processes.set(port, spawn('redis-server', args, { stdio: 'ignore' }));
    await until(this.clientOf(port), async (client) => (await client.ping()) === 'PONG');
  }
}

/** Asks again and again until the answer is yes. A server that is not there yet answers nothing. */
async function until(client: Redis, isSo: (client: Redis) => Promise<boolean>): Promise<void> {
  while (!(await isSo(client).catch(() => false))) await new Promise(setImmediate);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
