import { METRICS, Metrics, type Metric, type Reading } from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { PostgresBacklog } from '../runs/postgres-backlog';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { InstallationMetrics } from './installation-metrics';
import type { LazyMaintenanceQueue } from '../queue/lazy-maintenance-queue';
import type { RunQueue } from '../queue/run-queue';
import { JobCounts } from './job-counts';
import type { LeaderLease } from './leader-lease';

class CollectedMetrics extends Metrics {
  private readonly reads = new Map<string, () => Reading | Promise<Reading>>();

  override report({ name }: Metric, read: () => Reading | Promise<Reading>): void {
    this.reads.set(name, read);
  }

  async read({ name }: Metric): Promise<Reading | undefined> {
    return this.reads.get(name)?.();
  }
}

describe('InstallationMetrics', () => {
  let database: TestDatabase;
  let pool: Pool;
  let clock: HandDrivenClock;
  let metrics: CollectedMetrics;
  let leads: boolean;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'installation metrics test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from run_backlog');
    clock = new HandDrivenClock();
    metrics = new CollectedMetrics();
    leads = true;
    const lease = { isHeld: () => leads } as LeaderLease;
    new InstallationMetrics(pool, new PostgresBacklog(pool), clock, lease, metrics);
  });

  const publish = (runs: number, oldest: Date | null, measuredAt = clock.now()) =>
    new PostgresBacklog(pool).publish(
      { measuredAt, runs, held: 3, bytes: 10 * runs, oldest, oldestAccepted: oldest, projects: new Map() },
      null,
    );

  it('tells how many runs wait, since when, and when they were counted', async () => {
    await publish(7, new Date(clock.now().getTime() - 4_500));

    expect(await metrics.read(METRICS.runsWaiting)).toBe(7);
    expect(await metrics.read(METRICS.runsHeldByControl)).toBe(3);
    expect(await metrics.read(METRICS.runsWaitingBytes)).toBe(70);
    expect(await metrics.read(METRICS.oldestWaitingRun)).toBe(4.5);
    expect(await metrics.read(METRICS.backlogCounted)).toBe(clock.now().getTime() / 1_000);
  });

  it('tells nothing of a backlog that was never counted, and no age of one that is empty', async () => {
    expect(await metrics.read(METRICS.runsWaiting)).toEqual([]);

    clock.advance(10_000);
    await publish(0, null);

    expect(await metrics.read(METRICS.oldestWaitingRun)).toBe(0);
  });

  it('asks the database once in five seconds, however often it is asked', async () => {
    const asked = jest.spyOn(pool, 'query');

    await Promise.all(Array.from({ length: 20 }, () => metrics.read(METRICS.runsWaiting)));
    await metrics.read(METRICS.triggerLag);
    const atOnce = asked.mock.calls.length;
    clock.advance(5_000);
    await Promise.all([METRICS.runsWaiting, METRICS.eventLag].map((metric) => metrics.read(metric)));

    expect(atOnce).toBe(2);
    expect(asked.mock.calls).toHaveLength(4);
    asked.mockRestore();
  });

  it('tells how many runs wait though the lags cannot be read', async () => {
    await publish(7, null);
    const before = pool.query.bind(pool) as (query: { name?: string }) => Promise<unknown>;
    const slow = (query: { name?: string }) =>
      query.name === 'read-lags' ? Promise.reject(new Error('The statement took too long.')) : before(query);
    const asked = jest.spyOn(pool, 'query').mockImplementation(slow as never);

    expect(await metrics.read(METRICS.runsWaiting)).toBe(7);
    await expect(metrics.read(METRICS.triggerLag)).rejects.toThrow('took too long');
    asked.mockRestore();
  });

  it('counts what is due as late, and nothing that is due later or is not due at all', async () => {
    expect(await metrics.read(METRICS.triggerLag)).toEqual([
      { labels: { kind: 'poll' }, value: 0 },
      { labels: { kind: 'schedule' }, value: 0 },
    ]);
    expect(await metrics.read(METRICS.eventLag)).toBe(0);
  });

  it('tells how many jobs of both queues are in each state, and counts them once in 15 seconds', async () => {
    const counted = (failed: number) => ({ getJobCounts: jest.fn().mockResolvedValue({ failed }) });
    const [runs, maintenance] = [counted(2), counted(5)];
    const lease = { isHeld: () => true } as LeaderLease;
    const jobs = new JobCounts(clock, runs as unknown as RunQueue, maintenance as unknown as LazyMaintenanceQueue);
    new InstallationMetrics(pool, new PostgresBacklog(pool), clock, lease, metrics, jobs);
    const dead = (value: number) => expect.arrayContaining([{ labels: { state: 'failed' }, value }]) as unknown;

    expect(await metrics.read(METRICS.queueJobs)).toEqual(dead(2));
    expect(await metrics.read(METRICS.maintenanceJobs)).toEqual(dead(5));
    await metrics.read(METRICS.maintenanceJobs);
    expect(maintenance.getJobCounts).toHaveBeenCalledTimes(1);
  });

  it('leaves what concerns all processes to the one that leads', async () => {
    await publish(7, null);
    leads = false;

    expect(await metrics.read(METRICS.leader)).toBe(0);
    for (const metric of [METRICS.runsWaiting, METRICS.triggerLag, METRICS.eventLag])
      expect(await metrics.read(metric)).toEqual([]);
  });
});
