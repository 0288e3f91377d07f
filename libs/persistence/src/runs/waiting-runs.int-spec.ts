import { describeWaitingRuns, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

const CANCEL = `
  update flow_run set status = 'STOPPED', finish_time = now(), status_reason = 'The run was cancelled.'
  where id = $1 and status in ('RUNNING', 'PAUSED')`;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'waiting runs test');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeWaitingRuns('PostgreSQL', () => {
  const queue = new InMemoryJobQueue();
  const intake = new PostgresRunIntake(pool, queue);
  return {
    journal: new PostgresRunJournal(pool, queue),
    waits: new PostgresRunWaits(pool, queue),
    families: new PostgresRunFamilies(pool, queue),
    queue,
    accept: (run) => intake.accept(run),
    cancel: async (runId) => {
      await pool.query(CANCEL, [runId]);
    },
    now: () => new Date(),
  };
});
