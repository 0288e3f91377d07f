import { Client } from 'pg';

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
