import { EntityNotFoundError, MOST_PACED_RETRIES, type PacedRetry, type RetryUnderWay } from '@millrace/domain';
import { anId, aPacedRetry } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresPacedRetries } from './postgres-paced-retries';

describe('paced retries in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let retries: PostgresPacedRetries;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'paced retry test')).initialize();
    pool = openHotPool(database.url, 'paced retry test');
    retries = new PostgresPacedRetries(pool);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from paced_retry');
    projectId = await seedProject(dataSource);
  });

  const inserted = (more: Partial<PacedRetry> = {}, callKey: string | null = null) =>
    retries.insert(aPacedRetry({ id: newId(), projectId, ...more }), callKey);
  const claimed = async () => {
    const claim = await retries.claim();
    if (!claim) throw new Error('There is none to claim.');
    return claim;
  };
  const wait = (seconds: number) =>
    pool.query(`update paced_retry set claimed_until = claimed_until - interval '${seconds} seconds'`);

  it('are read as they were made, in their project only', async () => {
    const createdAfter = new Date('2026-01-01T00:00:00.000Z');
    const filter = { projectId, status: ['FAILED' as const], tags: ['a'], withoutRetry: true, createdAfter };
    const made = await inserted({ filter, stopAfterFailures: 3 });
    expect(await retries.get(made.id, [projectId])).toEqual(made);
    for (const [id, projects] of [
      [made.id, [anId()]],
      [anId(), 'any'],
      ['no-id', 'any'],
    ] as const)
      await expect(retries.get(id, projects)).rejects.toBeInstanceOf(EntityNotFoundError);
  });

  it('are listed newest first', async () => {
    const made = [await inserted(), await inserted()];
    await inserted({ projectId: await seedProject(dataSource) });
    const { data } = await retries.list(projectId, { limit: 10, cursor: null });
    expect(data.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    expect((await retries.list('no-id', { limit: 10, cursor: null })).data).toEqual([]);
  });

  it('are claimed by one process at a time, and by another when that does not save for a while', async () => {
    const { id } = await inserted();
    const first = await claimed();
    expect(first.retry).toMatchObject({ id, lastId: null, slice: [], unfinished: [], isAllFound: false });
    expect(await retries.claim()).toBeNull();

    await wait(20);
    const second = await claimed();
    expect(second.epoch).toBe(first.epoch + 1);
    expect(await retries.save(first, first.retry)).toBe(false);
    expect(await retries.save(second, second.retry)).toBe(true);

    await retries.release(first);
    expect(await retries.claim()).toBeNull();
    await retries.release(second);
    expect((await claimed()).retry.id).toBe(id);
  });

  it('keep how far they have come, until they end', async () => {
    await inserted();
    const claim = await claimed();
    const [a, b] = [newId(), newId()];
    const place = { lastId: a, slice: [a, b], unfinished: [b], isAllFound: true };
    const further: RetryUnderWay = { ...claim.retry, ...place, started: 4, skipped: 3, succeeded: 2, failed: 1 };
    expect(await retries.save(claim, further)).toBe(true);
    await wait(20);
    const again = await claimed();
    expect(again.retry).toMatchObject({ ...place, started: 4, skipped: 3, succeeded: 2, failed: 1, finished: null });

    expect(await retries.save(again, { ...again.retry, status: 'STOPPED' })).toBe(true);
    expect(await retries.get(claim.retry.id, 'any')).toMatchObject({ status: 'STOPPED', finished: expect.any(Date) });
    await wait(20);
    expect(await retries.claim()).toBeNull();
  });

  it('are cancelled while they are running, and then nothing is saved any more', async () => {
    const { id } = await inserted();
    const claim = await claimed();
    await expect(retries.cancel(id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
    expect(await retries.cancel(id, [projectId])).toMatchObject({ status: 'CANCELLED', finished: expect.any(Date) });
    expect(await retries.save(claim, claim.retry)).toBe(false);
    const { finished } = await retries.get(id, 'any');
    expect(await retries.cancel(id, [projectId])).toMatchObject({ status: 'CANCELLED', finished });
  });

  it('are one for a call that is repeated', async () => {
    const first = await inserted({}, 'mine');
    expect(await inserted({}, 'mine')).toEqual(first);
    expect((await inserted({ requestedBy: anId() }, 'mine')).id).not.toBe(first.id);
  });

  it('of a project are bounded while they run, and forgotten some time after they ended', async () => {
    for (let i = 0; i < MOST_PACED_RETRIES; i++) await inserted();
    await expect(inserted()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await pool.query(`update paced_retry set status = 'DONE', finished = now() - interval '31 days'`);
    const { id } = await inserted();
    const { data } = await retries.list(projectId, { limit: 10, cursor: null });
    expect(data.map((retry) => retry.id)).toEqual([id]);
  });

  it('know the statuses of runs', async () => {
    const runId = newId();
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated)
       values ($1, $2, $2, $2, 'FAILED', 'PRODUCTION', 'webhook', 'WEBHOOK', $1, now())`,
      [runId, projectId],
    );
    expect(await retries.statusesOf([runId, newId()])).toEqual(new Map([[runId, 'FAILED']]));
    expect(await retries.statusesOf([])).toEqual(new Map());
  });
});
