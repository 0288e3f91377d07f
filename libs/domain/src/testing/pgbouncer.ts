import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The first version that keeps prepared statements in transaction mode. */
const FIRST_THAT_PREPARES = [1, 21];

/** A PgBouncer in transaction mode before a database. */
export interface Pooler {
  /** The URL of the database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The version of PgBouncer on this machine, for example [1, 18]; null when there is none. */
export function pgbouncerVersion(): [major: number, minor: number] | null {
  try {
    const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return null;
  }
}

export function pgbouncerPrepares(): boolean {
  const [major, minor] = pgbouncerVersion() ?? [0, 0];
  const [first, then] = FIRST_THAT_PREPARES as [number, number];
  return major > first || (major === first && minor >= then);
}

/** Starts PgBouncer with `connections` sessions of the server, which its clients share. */
export async function startPgbouncer(databaseUrl: string, connections = 4): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pgbouncer-'));
  const port = await freePort();
  const { file, url } = configure(folder, port, new URL(databaseUrl), connections);
  // PgBouncer does not run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = spawn('pgbouncer', [...account, file], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  await accepting(port);
  return {
    url,
    stop: async () => {
      server.kill('SIGTERM'); // at once, whoever is connected
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configure(folder: string, port: number, server: URL, connections: number): { file: string; url: string } {
  const database = server.pathname.slice(1);
  const password = server.password ? ` password=${decodeURIComponent(server.password)}` : '';
  const target = `host=${server.hostname} port=${server.port || 5432} user=${decodeURIComponent(server.username)}${password}`;
  const lines = [
    '[databases]',
    `${database} = ${target}`,
    '[pgbouncer]',
    'pool_mode = transaction',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `default_pool_size = ${connections}`,
    'max_client_conn = 500',
    ...(pgbouncerPrepares() ? ['max_prepared_statements = 200'] : []),
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, lines.join('\n'));
  chmodSync(folder, 0o755);
  return { file, url: `postgres://${server.username}@127.0.0.1:${port}/${database}` };
}

/** Tries again and again until the port accepts a connection. */
async function accepting(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    );
    socket.destroy();
    if (isUp) return;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
