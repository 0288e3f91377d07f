import {
  aNewRun,
  describeRunJournal,
  InMemoryJobQueue,
  type JournalRow,
  type JournalUnderTest,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresBulkRuns } from './postgres-bulk-runs';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

const ROW = `
  select *, steps_count as "stepsCount", status_reason as "statusReason" from flow_run where id = $1`;

const LET_PASS = `
  with waiting as (
    update run_request set due = due - $2 * interval '1 millisecond' where run_id = $1
  )
  update flow_run set time_counts_from = time_counts_from - $2 * interval '1 millisecond',
    paused_at = paused_at - $2 * interval '1 millisecond'
  where id = $1`;

let database: TestDatabase;
let pool: Pool;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'journal test');
  dataSource = await new DataSource(dataSourceOptions(database.url, 'journal test')).initialize();
});
afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

describeRunJournal('PostgreSQL', () => underTest());

describe('with a destination for the events of runs', () => {
  beforeAll(async () => {
    const projectId = await seedProject(dataSource, { id: aNewRun().projectId });
    await seedDestination(pool, projectId);
  });
  afterAll(() => pool.query('delete from event_destination'));

  describeRunJournal('PostgreSQL', () => underTest());
});

function underTest(): JournalUnderTest {
  const queue = new InMemoryJobQueue();
  const bulk = new PostgresBulkRuns(dataSource, pool);
  const intake = new PostgresRunIntake(pool, queue);
  return {
    journal: new PostgresRunJournal(pool, queue),
    waits: new PostgresRunWaits(pool, queue),
    families: new PostgresRunFamilies(pool, queue),
    queue,
    accept: (run) => intake.accept(run),
    cancel: async (runId) => {
      await bulk.cancel([runId]);
    },
    rowOf: async (runId) => (await pool.query<JournalRow>(ROW, [runId])).rows[0] as JournalRow,
    now: () => new Date(),
    letPass: async (runId, ms) => {
      await pool.query(LET_PASS, [runId, ms]);
    },
  };
}
