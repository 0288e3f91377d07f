import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { webhookKeyOf } from '@millrace/domain';
import { Client } from 'pg';

// Reads the service's data directory (its secrets, its processes and its logs), and reaches into its database.

export interface Installation {
  dataDir: string;
  secrets: { adminPassword: string; apiKey: string; jwtSecret: string; encryptionKey: string; workerToken: string };
  databaseUrl: string;
}

interface Running {
  databaseUrl: string;
  pids: Record<string, number | null>;
}

const LOGS = 'logs';

export function installation(dataDir: string): Installation {
  return {
    dataDir,
    secrets: readJson<Installation['secrets']>(dataDir, 'credentials.json'),
    databaseUrl: readJson<Running>(dataDir, 'running.json').databaseUrl,
  };
}

export const processIds = ({ dataDir }: Installation): Running['pids'] =>
  readJson<Running>(dataDir, 'running.json').pids;

/** Words of the server that no answer may contain, by their meaning. `executables` is the server's PATH. */
export function wordsOfServer(
  { dataDir, secrets, databaseUrl }: Installation,
  executables: string,
): [what: string, word: string][] {
  return [
    ['the administrator’s password', secrets.adminPassword],
    ['the platform key', secrets.apiKey],
    ['the token secret', secrets.jwtSecret],
    ['the encryption key', secrets.encryptionKey],
    ['the key of the gateway', webhookKeyOf(Buffer.from(secrets.encryptionKey, 'hex')).toString('hex')],
    ['the worker token', secrets.workerToken],
    ['the database’s address', databaseUrl],
    ['the database’s password', new URL(databaseUrl).password],
    ['a path of the server', resolve(__dirname, '../../../..')],
    ['the data directory', dataDir],
    ['an environment value', executables],
  ].filter((entry): entry is [string, string] => (entry[1] ?? '').length > 3);
}

export type LogPosition = ReadonlyMap<string, number>;

export function logPosition({ dataDir }: Installation): LogPosition {
  const folder = join(dataDir, LOGS);
  return new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
}

/** Returns what every app has logged since the position. */
export function loggedSince({ dataDir }: Installation, position: LogPosition): string[] {
  const folder = join(dataDir, LOGS);
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name))
      .subarray(position.get(name) ?? 0)
      .toString('utf8')
      .split('\n'),
  );
}

/** Purges a run as the retention period does: its row stays, without its data. A client cannot wait that long. */
export async function purge(databaseUrl: string, runId: string): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query('update flow_run set payload = null where id = $1', [runId]);
    await database.query('delete from run_segment where run_id = $1', [runId]);
  } finally {
    await database.end();
  }
}

/** The id of a job that is done. Clients learn the ids of jobs from the queue's dashboard only. */
export async function completedJob(databaseUrl: string): Promise<string> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const find = `select id from bullmq.job where state = 'completed' limit 1`;
    return (await database.query<{ id: string }>(find)).rows[0]?.id ?? '';
  } finally {
    await database.end();
  }
}

const readJson = <Value>(folder: string, name: string): Value =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as Value;
