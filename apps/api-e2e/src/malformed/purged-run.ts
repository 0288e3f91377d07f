import { Client } from 'pg';

/** Leaves a run as it is after the retention period: on record, without its data. No client can wait that long. */
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
