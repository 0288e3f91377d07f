import { Client, type Pool } from 'pg';

/**
 * Gives a database a clock that stands until it is set: `now()` of every connection that is opened later tells its
 * time.
 */
export async function driveClockByHand(databaseUrl: string, moment: Date): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`
      create schema clock;
      create table clock.moment (at timestamptz not null);
      create function clock.now() returns timestamptz language sql stable as 'select at from clock.moment';
      do $$ begin
        execute format('alter database %I set search_path = clock, public, pg_catalog', current_database());
      end $$`);
    await client.query('insert into clock.moment values ($1)', [moment]);
  } finally {
    await client.end();
  }
}

export const setClock = async (pool: Pool, moment: Date): Promise<void> =>
  void (await pool.query('update clock.moment set at = $1', [moment]));
