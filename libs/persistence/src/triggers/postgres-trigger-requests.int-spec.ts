import type { FlowVersion, NewRun, RunClaim, RunToExecute, StoredText } from '@millrace/domain';
import { aFlow, aFlowVersion, aNewRun, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresRunJournal } from '../runs/postgres-run-journal';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerRequests } from './postgres-trigger-requests';

const LEASE_SECONDS = 15;

describe('PostgresTriggerRequests', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let queue: InMemoryJobQueue;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;
  let requests: PostgresTriggerRequests;
  let version: FlowVersion;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'requests test')).initialize();
    pool = openHotPool(database.url, 'requests test');
    projectId = await seedProject(dataSource);
    const flow = aFlow({ projectId, id: anId() });
    version = aFlowVersion([], { id: anId(), flowId: flow.id });
    await new PostgresFlowRepository(dataSource, aSecretBox()).insert(flow, version);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(() => {
    queue = new InMemoryJobQueue();
    journal = new PostgresRunJournal(pool, queue);
    intake = new PostgresRunIntake(pool, queue);
    requests = new PostgresTriggerRequests(pool, new RunsInTransaction(queue, ENQUEUE_PATIENCE));
  });

  const accepted = async (more: Partial<NewRun> = {}) => {
    const run = aNewRun({ projectId, flowId: version.flowId, flowVersionId: version.id, ...more });
    await intake.accept(run);
    const epoch = await journal.claim({ runId: run.id, epoch: 0 }, null, LEASE_SECONDS);
    const loaded = (await journal.load(run.id)) as RunToExecute;
    return { run: loaded, claim: { runId: run.id, epoch: epoch ?? -1 } as RunClaim };
  };
  const settle = async (
    { run, claim }: { run: RunToExecute; claim: RunClaim },
    items: StoredText[],
    writes: Parameters<typeof requests.settle>[2]['writes'] = [],
  ) => requests.settle(run, claim, { items, writes });
  const payloads = async (): Promise<unknown[]> => {
    const { rows } = await pool.query<{ id: string }>('select id from flow_run where flow_id = $1', [version.flowId]);
    return Promise.all(rows.map(async ({ id }) => (await journal.load(id))?.payload));
  };
  beforeEach(() => pool.query('truncate flow_run, run_key'));

  it('gives the run its first item, starts a run for each further one, and writes the store of the trigger', async () => {
    const request = await accepted();
    const before = queue.waiting().length;

    expect(await settle(request, ['1', '2', '3'], [{ scope: 'FLOW', key: 'seen', value: 3 }])).toBe(true);

    expect((await payloads()).sort()).toEqual(['1', '2', '3']);
    const jobs = queue.waiting().slice(before);
    expect(jobs.flatMap(({ runs }) => runs)).toHaveLength(2);
    expect(await journal.load(request.run.id)).toMatchObject({
      status: 'RUNNING',
      isLeased: false,
      startTime: null,
      epoch: 2,
      workerDeaths: 0,
      payload: '1',
    });
    const place = { projectId, scope: 'FLOW', scopeId: version.flowId, key: 'seen' } as const;
    expect(await new PostgresStoreEntries(pool).get(place)).toBe(3);
  });

  it('deletes a run whose request has no items, and keeps its idempotency key', async () => {
    const request = await accepted({ idempotencyKey: 'webhook:k' });

    expect(await settle(request, [])).toBe(true);

    expect(await payloads()).toEqual([]);
    const { flowId, flowVersionId, id } = request.run;
    const again = aNewRun({ projectId, flowId, flowVersionId, idempotencyKey: 'webhook:k' });
    expect(await intake.accept(again)).toEqual({ runId: id, replayed: true });
    expect(await payloads()).toEqual([]);
  });

  it('writes nothing when the claim has passed, or when the run was cancelled', async () => {
    const lost = await accepted();
    await pool.query(`update flow_run set lease_until = now() - interval '1 s' where id = $1`, [lost.run.id]);
    await journal.claim(lost.claim, null, LEASE_SECONDS);
    const cancelled = await accepted();
    await pool.query(`update flow_run set status = 'STOPPED' where id = $1`, [cancelled.run.id]);

    const write = [{ scope: 'FLOW', key: 'lost', value: 1 }] as const;
    expect(await settle(lost, ['1', '2'], write)).toBe(false);
    expect(await settle(lost, [], write)).toBe(false);
    expect(await settle(cancelled, ['1', '2'], write)).toBe(false);

    expect(await payloads()).toEqual([aNewRun().payload, aNewRun().payload]);
    const place = { projectId, scope: 'FLOW', scopeId: version.flowId, key: 'lost' } as const;
    expect(await new PostgresStoreEntries(pool).get(place)).toBeNull();
  });

  it('writes once when it is asked twice', async () => {
    const request = await accepted();

    const settled = await Promise.all([settle(request, ['1', '2']), settle(request, ['1', '2'])]);

    expect(settled.sort()).toEqual([false, true]);
    expect((await payloads()).sort()).toEqual(['1', '2']);
  });
});
