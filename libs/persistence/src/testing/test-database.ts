import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../schema/migrate';

/** The key of the advisory lock. It may be any number that is the same in every test process. */
const TEMPLATE_LOCK = 7_203_115_999;
const MIGRATIONS = join(__dirname, '../migrations');

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Makes a database for one test file. It is a copy of a template that is migrated once. MILLRACE_TEST_DATABASE_URL must
 * name a server on which databases may be created.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['MILLRACE_TEST_DATABASE_URL'];
  if (!serverUrl) throw new Error('MILLRACE_TEST_DATABASE_URL must name a PostgreSQL server for the tests.');
  const name = `millrace_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, async (server) => {
    await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const template = await ensureTemplate(server, serverUrl);
    await server.query(`create database ${name} template ${template}${await cheapStrategy(server)}`);
  });
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => onServer(serverUrl, (server) => dropDatabase(server, name)),
  };
}

/** Copying the files takes a third of the CPU time of writing each page to the log. PostgreSQL 14 does nothing else. */
async function cheapStrategy(server: Client): Promise<string> {
  const { rows } = await server.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  return (rows[0]?.version ?? 0) >= 150_000 ? ' strategy file_copy' : '';
}

/**
 * Drops without force first. A pool that was just closed may still be closing its connections, and would report an
 * error if they were cut. PostgreSQL waits some seconds for them.
 */
async function dropDatabase(server: Client, name: string): Promise<void> {
  try {
    await server.query(`drop database ${name}`);
  } catch {
    await server.query(`drop database ${name} with (force)`);
  }
}

async function ensureTemplate(server: Client, serverUrl: string): Promise<string> {
  const name = templateName();
  const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 1) return name;
  const unfinished = `${name}_unfinished`;
  await server.query(`drop database if exists ${unfinished} with (force)`);
  await server.query(`create database ${unfinished}`);
  await migrate(databaseUrl(serverUrl, unfinished));
  await server.query(`alter database ${unfinished} rename to ${name}`);
  return name;
}

/** Returns a new name when the migrations change and on each day, because the template holds the partitions ahead. */
function templateName(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, file)));
  return `millrace_template_${hash.digest('hex').slice(0, 16)}`;
}

async function onServer(url: string, work: (server: Client) => Promise<unknown>): Promise<void> {
  const server = new Client({ connectionString: url, application_name: 'millrace tests' });
  await server.connect();
  try {
    await work(server);
  } finally {
    await server.end();
  }
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}
