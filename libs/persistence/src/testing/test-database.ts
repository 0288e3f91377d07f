import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../modules/migrate';

/** Any number, the same in every test process. */
const TEMPLATE_LOCK = 7_203_115_999;
const MIGRATIONS = join(__dirname, '../migrations');

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * A database of its own for one test file, with the schema in place: a copy of a template that is migrated once.
 * Needs MILLRACE_TEST_DATABASE_URL, a server where databases may be made.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['MILLRACE_TEST_DATABASE_URL'];
  if (!serverUrl) throw new Error('MILLRACE_TEST_DATABASE_URL must name a PostgreSQL server for the tests.');
  const name = `millrace_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, async (server) => {
    await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const template = await ensureTemplate(server, serverUrl);
    await server.query(`create database ${name} template ${template}`);
  });
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => onServer(serverUrl, (server) => dropDatabase(server, name)),
  };
}

/**
 * Not by force at first: a pool that has just been closed may still be saying good-bye, and would take the end of its
 * connection for an error. PostgreSQL waits some seconds for it.
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

/** Another one when the migrations change, and each day, since the template holds the partitions of the days ahead. */
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
