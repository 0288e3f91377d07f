import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

/**
 * Creates a database on the server of the tests, for a service that a suite starts itself: a server for each suite
 * would cost seconds. It is empty, or a copy of the migrated one where that is wanted and there is one, because a start
 * on an empty database takes twice the CPU time. Undefined when the environment names no server; the launcher then
 * starts its own.
 */
export async function ownDatabase(
  environment: NodeJS.ProcessEnv,
  { isMigrated = false } = {},
): Promise<OwnDatabase | undefined> {
  const server = environment['MILLRACE_TEST_DATABASE_URL'];
  if (!server) return undefined;
  const name = `service_${randomUUID().replaceAll('-', '_')}`;
  const migrated = isMigrated && environment['MILLRACE_TEST_MIGRATED_DATABASE'];
  await ask(server, `create database ${name}${migrated ? ` template ${migrated} strategy file_copy` : ''}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => ask(server, `drop database ${name} with (force)`) };
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
