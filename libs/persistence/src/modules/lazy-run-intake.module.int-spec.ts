import { Clock, METRICS, RunIntake, SystemClock, type Metric, type Reading, type Sample } from '@millrace/domain';
import { aNewRun } from '@millrace/domain/testing';
import type { Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Pool } from 'pg';
import { PostgresModule } from './postgres.module';
import { COUNTED_STATES, JobCounts } from '../maintenance/job-counts';
import { openJobQueue } from '../queue/open-job-queue';
import type { QueueSettings } from '../queue/queue-settings';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { LazyRunIntakeModule } from './lazy-run-intake.module';

/** A logical database of its own. Workers of other tests would take the jobs of a shared queue. */
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'] && new URL('/9', process.env['MILLRACE_TEST_REDIS_URL']).href;

describe('LazyRunIntakeModule', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const settingsOf = (more: Partial<QueueSettings> = {}): QueueSettings => ({
    databaseUrl: database.url,
    failedJobRetentionDays: 7,
    failedJobRetentionMaxCount: 100,
    ...more,
  });
  const start = async (settings: QueueSettings, ...providers: Provider[]): Promise<TestingModule> => {
    const module = await Test.createTestingModule({
      imports: [
        PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'lazy intake test' }),
        LazyRunIntakeModule.forRoot(settings),
      ],
      providers,
    }).compile();
    return module.init();
  };
  const hasQueueSchema = async (module: TestingModule): Promise<boolean> => {
    const { rows } = await module
      .get(Pool)
      .query<{ made: boolean }>(`select to_regclass('bullmq.job') is not null as made`);
    return rows[0]?.made ?? false;
  };

  it('closes without ever having opened the queue', async () => {
    const module = await start(settingsOf());

    expect(await hasQueueSchema(module)).toBe(false);

    await module.close();
  });

  const stores: [name: string, store: Partial<QueueSettings>][] = [['PostgreSQL', {}]];
  if (redisUrl) stores.push(['Redis', { redisUrl }]);

  it.each(stores)(
    'brings the first and the next runs to the queue on %s, and leaves nothing open',
    async (_, store) => {
      const module = await start(settingsOf(store));
      const runs = [aNewRun({ environment: 'TESTING', testStep: 'step_1' }), aNewRun(), aNewRun()];

      const [first, ...others] = runs;
      if (first) await module.get(RunIntake).accept(first);
      await Promise.all(others.map((run) => module.get(RunIntake).accept(run)));
      await module.close();

      const { rows } = await withPool((pool) =>
        pool.query<{ job_id: string }>('select distinct job_id from flow_run where id = any($1)', [
          runs.map(({ id }) => id),
        ]),
      );
      const queue = await openJobQueue(settingsOf(store));
      const liveness = await queue.jobs.liveness(rows.map(({ job_id }) => job_id));
      await queue.close();
      expect(liveness.length).toBeGreaterThanOrEqual(2);
      expect(new Set(liveness)).toEqual(new Set(['live']));
    },
  );

  it.each(stores)('has the jobs of the queue on %s counted for the metrics of an app that leads', async (_, store) => {
    const module = await start(settingsOf(store), JobCounts, { provide: Clock, useClass: SystemClock });
    const reads = new Map<Metric, () => Promise<Reading>>();
    module.get(JobCounts).reportTo((metric, read) => reads.set(metric, read));
    await module.get(RunIntake).accept(aNewRun());

    const counted = (await reads.get(METRICS.queueJobs)?.()) as Sample[];
    await module.close();

    expect(counted.map(({ labels }) => labels?.['state'])).toEqual([...COUNTED_STATES]);
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  });

  it.each([
    ['PostgreSQL', { databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }],
    ['Redis', { redisUrl: 'redis://127.0.0.1:1' }],
  ])('cannot be opened while %s is away, and leaves nothing open', async (_, store) => {
    await expect(openJobQueue(settingsOf(store), 100)).rejects.toThrow();
  });

  it('accepts while Redis is away, and closes', async () => {
    const module = await start(settingsOf({ redisUrl: 'redis://127.0.0.1:1' }));

    expect((await module.get(RunIntake).accept(aNewRun())).replayed).toBe(false);

    await expect(module.close()).resolves.toBeUndefined();
  });

  async function withPool<T>(ask: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = new Pool({ connectionString: database.url });
    try {
      return await ask(pool);
    } finally {
      await pool.end();
    }
  }
});
