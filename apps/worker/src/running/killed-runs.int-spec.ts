import 'reflect-metadata';
import { RunJournal } from '@millrace/domain';
import { aNewRun, InMemoryJobQueue } from '@millrace/domain/testing';
import { PostgresModule, PostgresRunIntake } from '@millrace/persistence';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import { Pool } from 'pg';
import { describeKilledRuns } from './testing/killed-runs.contract';

describe('the journal in PostgreSQL', () => {
  let database: TestDatabase;
  let app: TestingModule;

  beforeAll(async () => {
    database = await createTestDatabase();
    const postgres = PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'killed runs' });
    app = await Test.createTestingModule({ imports: [postgres] }).compile();
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  describeKilledRuns('keeps a run whose workers are killed', () => {
    const pool = app.get(Pool);
    const intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    return {
      journal: app.get(RunJournal),
      add: async (payload) => (await intake.accept(aNewRun({ payload }))).runId,
      endLease: async (runId) => {
        await pool.query('update flow_run set lease_until = null where id = $1', [runId]);
      },
    };
  });
});
