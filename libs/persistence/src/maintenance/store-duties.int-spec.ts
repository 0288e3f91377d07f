import { aNewRun, anEnding, anId, HELD, InMemoryFileStore, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { PostgresAuditLog } from '../audit/postgres-audit-log';
import { openHotPool } from '../postgres/hot-pool';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresRunJournal } from '../runs/postgres-run-journal';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { StoreDuties } from './store-duties';

const DAY_MS = 24 * 60 * 60 * 1000;
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'] as const;
const CLEARING = ['clearTimeout', 'clearInterval', 'clearImmediate', 'hrtime'] as const;

describe('StoreDuties', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'store duties test');
  });
  afterAll(async () => {
    jest.useRealTimers();
    await pool.end();
    await database.drop();
  });

  const putClockForward = (ms: number) =>
    jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...TIMERS, ...CLEARING] });

  it('remove nothing that is young, in a process whose clock is 400 days ahead', async () => {
    const intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    const journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    const [ended, executing] = [aNewRun({ id: anId(new Date()) }), aNewRun({ id: anId(new Date()) })];
    for (const run of [ended, executing]) await intake.accept(run);
    await journal.finish(anEnding(ended.id, { finishTime: new Date() }));
    const audit = { projectId: anId(), action: 'api_key.created', targetType: 'api_key', targetId: 'k', details: {} };
    await new PostgresAuditLog(pool).record({ ...audit } as Parameters<PostgresAuditLog['record']>[0]);
    const settings = { retention: { days: 30, hours: undefined }, runRetentionDays: 90, auditRetentionDays: 90 };
    const duties = new StoreDuties(
      pool,
      new InMemoryFileStore(),
      settings as ConstructorParameters<typeof StoreDuties>[2],
    );

    putClockForward(400 * DAY_MS);
    for (const duty of duties.all) await duty.perform(HELD);

    const { rows } = await pool.query('select id, payload is not null as has_payload from flow_run order by id');
    expect(rows).toEqual(
      [ended, executing].map(({ id }) => ({ id, has_payload: true })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect((await pool.query('select from audit_event')).rowCount).toBe(1);
  });
});
