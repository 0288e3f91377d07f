import type { Client, ClientConfig } from 'pg';
import { PooledClient, type PooledClientConfig } from '../postgres/pooled-client';
import { WatchedClient } from '../postgres/watched-client';

/** The names of prepared statements by their text. BullMQ has about a hundred statements, so the map stays small. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `queue_${names.size}`;
  names.set(text, name);
  return name;
}

/** Prepares BullMQ's statements, so that the server parses and plans each once per connection and not once per call. */
export class PreparingClient extends WatchedClient {
  constructor(config?: ClientConfig) {
    super(config);
    nameStatements(this);
  }
}

/** The same for a pooler that keeps prepared statements. With another one, the names are left out again. */
export class PreparingPooledClient extends PooledClient {
  constructor(config: PooledClientConfig) {
    super(config);
    nameStatements(this);
  }
}

function nameStatements(client: Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const prepared = (statement: unknown, values: unknown, done: unknown): unknown =>
    typeof statement === 'string' && Array.isArray(values)
      ? query({ name: nameOf(statement), text: statement, values }, done)
      : query(statement, values, done);
  client.query = prepared as Client['query'];
}
