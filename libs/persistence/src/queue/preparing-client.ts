import type { Client, ClientConfig } from 'pg';
import { WatchedClient } from '../postgres/watched-client';

/** One name per statement text for the whole process. BullMQ has about a hundred, so this does not grow. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `queue_${names.size}`;
  names.set(text, name);
  return name;
}

/** Has the server parse and plan each of BullMQ's statements once per connection instead of once per call. */
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
