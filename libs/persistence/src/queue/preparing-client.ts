import type { Client, ClientConfig } from 'pg';
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
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const prepared = (statement: unknown, values: unknown, done: unknown): unknown =>
      typeof statement === 'string' && Array.isArray(values)
        ? query({ name: nameOf(statement), text: statement, values }, done)
        : query(statement, values, done);
    this.query = prepared as Client['query'];
  }
}
