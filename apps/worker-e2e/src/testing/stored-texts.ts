import { inflateRawSync } from 'node:zlib';
import Redis from 'ioredis';
import { Client } from 'pg';

/** One value of a store, as text. */
export interface StoredValue {
  place: string;
  text: string;
}

const COLUMNS = `
  select table_schema as schema, table_name as name, column_name as column, data_type as type
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

/** Every value of every column of a database. What is compressed is there as it is and decompressed. */
export async function textsInDatabase(databaseUrl: string): Promise<StoredValue[]> {
  const db = new Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const { rows } = await db.query<Record<'schema' | 'name' | 'column' | 'type', string>>(COLUMNS);
    const found: StoredValue[] = [];
    for (const { schema, name, column, type } of rows) {
      const value = type === 'bytea' ? `"${column}"` : `"${column}"::text`;
      const values = await db.query<{ value: string | Buffer }>(
        `select ${value} as value from "${schema}"."${name}" where "${column}" is not null`,
      );
      for (const row of values.rows)
        for (const text of textsOf(row.value)) found.push({ place: `${name}.${column}`, text });
    }
    return found;
  } finally {
    await db.end();
  }
}

/** Every key of a Redis database with its value. */
export async function textsInRedis(url: string): Promise<StoredValue[]> {
  const redis = new Redis(url);
  try {
    const readers: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrange(key, 0, -1),
      stream: (key) => redis.xrange(key, '-', '+'),
    };
    const found: StoredValue[] = [];
    for (const key of await redis.keys('*')) {
      const value = await readers[await redis.type(key)]?.(key);
      found.push({ place: key, text: `${key} ${JSON.stringify(value)}` });
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

/** The text of a value, and what its bytes are when they are compressed after a first byte or two. */
function textsOf(value: string | Buffer): string[] {
  if (typeof value === 'string') return [value];
  const inflated = [1, 2].flatMap((start) => {
    try {
      return [inflateRawSync(value.subarray(start)).toString()];
    } catch {
      return [];
    }
  });
  return [value.toString(), ...inflated];
}
