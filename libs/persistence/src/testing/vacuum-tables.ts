import { Client } from 'pg';

const MOST_TRIES = 200;
const HIDDEN_PAGES = `select coalesce(sum(relpages - relallvisible), 0)::int as pages from pg_class
  where relkind = 'r' and oid in (select unnest($1::regclass[])
    union select relid from unnest($1::regclass[]) t cross join lateral pg_partition_tree(t))`;

/**
 * Vacuums and analyzes tables, so that the plans of their statements do not depend on chance. A session with a snapshot
 * that is older than the rows, such as an autovacuum of a catalog, keeps a vacuum from marking their pages as visible to
 * all. Index-only scans then read the table. So this vacuums until all pages are marked.
 */
export async function vacuumTables(
  databaseUrl: string,
  tables: readonly string[],
  mostTries = MOST_TRIES,
): Promise<void> {
  // The connection has no statement time-out, because a busy machine may take long.
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let tries = 0; tries < mostTries; tries++) {
      await client.query(`vacuum analyze ${tables.join(', ')}`);
      const { rows } = await client.query<{ pages: number }>(HIDDEN_PAGES, [tables]);
      if (rows[0]?.pages === 0) return;
    }
  } finally {
    await client.end();
  }
  throw new Error(`A session holds a snapshot that is older than rows of ${tables.join(', ')}.`);
}
