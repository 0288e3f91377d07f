import { stepRunKey, webhookKey } from '@millrace/domain';
import { aChildRun, aNewRun, anEnding, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import { Client, type Pool, type QueryConfig } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { ensureRunPartitions } from '../postgres/run-partitions';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresBulkRuns } from './postgres-bulk-runs';
import { PostgresRunAnswers } from './postgres-run-answers';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';
import { PostgresUnfinishedRuns } from './postgres-unfinished-runs';

/** These statements look for runs without knowing their ids. */
const OF_ALL_MONTHS = new Set(['find-untold', 'children-of-runs', 'find-idempotent-runs']);
/** The month of the runs, and the next month or the default partition. */
const MOST_MONTHS = 2;

describe('the statements about runs whose ids are known', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'months test')).initialize();
    pool = openHotPool(database.url, 'months test');
    await ensureRunPartitions(pool, new Date('2025-01-01'), 12);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  /** Lets runs go through everything that may happen to them. */
  async function live(): Promise<void> {
    const queue = new InMemoryJobQueue();
    const intake = new PostgresRunIntake(pool, queue);
    const journal = new PostgresRunJournal(pool, queue);
    const families = new PostgresRunFamilies(pool, queue);
    const bulk = new PostgresBulkRuns(dataSource, pool);
    const [plain, keyed, awaited, parent] = [
      aNewRun({ id: newId() }),
      aNewRun({ id: newId(), idempotencyKey: webhookKey('k') }),
      aNewRun({ id: newId(), isAwaited: true }),
      aNewRun({ id: newId() }),
    ];
    const child = aChildRun({ runId: parent.id, failOnFailure: true }, { id: newId() });
    for (const run of [plain, plain, keyed, { ...keyed, id: newId() }, awaited, parent]) await intake.accept(run);
    const started = { ...child, id: newId(), idempotencyKey: stepRunKey(`${parent.id}:step`) };
    await intake.accept(started);
    const claim = { runId: parent.id, epoch: 1 };
    await journal.load(parent.id);
    await journal.claim({ ...claim, epoch: 0 }, new Date(), 15);
    await journal.renew([claim], 15);
    await journal.append({ stepsCount: 1, ...claim, seq: 0, records: [] });
    await journal.pause(aPause(parent.id, [aWait('a'), aWait('b', { kind: 'child', until: null, child })], { seq: 1 }));
    await new PostgresRunWaits(pool, queue).endDue(10);
    await journal.finish(anEnding(started.id, { status: 'FAILED' }));
    await journal.finish(anEnding(child.id, { tags: ['vip'] }));
    await families.notifyParents(10);
    await new PostgresUnfinishedRuns(pool).assignJob([plain.id, awaited.id], newId());
    await new PostgresRunAnswers(pool).read([awaited.id]);
    await new PostgresRunAnswers(pool).ended([awaited.id]);
    await bulk.cancel([keyed.id, awaited.id]);
    await bulk.archive([keyed.id]);
    await journal.release({ runId: plain.id, epoch: 0 });
  }

  it('open the months of those runs, and no others', async () => {
    const asked = jest.spyOn(Client.prototype, 'query');
    await live();
    const sent = new Map<string, QueryConfig>();
    for (const [config] of asked.mock.calls as unknown as [QueryConfig][])
      if (config.name !== undefined && config.text.includes('flow_run')) sent.set(config.name, config);
    asked.mockRestore();

    const tooMany: [string, string[]][] = [];
    for (const { name = '', text, values } of sent.values()) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values as unknown[]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const months = new Set([...plan.matchAll(/Scan.* on (flow_run_\w+)/g)].map(([, month]) => month ?? ''));
      if (months.size > MOST_MONTHS && !OF_ALL_MONTHS.has(name)) tooMany.push([name, [...months]]);
    }

    expect(sent.size).toBeGreaterThan(25);
    expect(tooMany).toEqual([]);
  });
});
