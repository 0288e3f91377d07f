import { RunMeters, type FlowRunStatus } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { Client, type Pool, type PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresBulkRuns } from './postgres-bulk-runs';

const MANY = 100_000;

describe('PostgresBulkRuns', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let bulk: PostgresBulkRuns;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'bulk test')).initialize();
    pool = openHotPool(database.url, 'bulk test');
    bulk = new PostgresBulkRuns(dataSource, pool);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(() => {
    projectId = anId();
  });

  async function aRun(
    status: FlowRunStatus,
    more: { parent?: string; tags?: string[]; retryOf?: string } = {},
  ): Promise<string> {
    const id = newId();
    const { parent = null, tags = [], retryOf = null } = more;
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by, trigger_type,
         job_id, updated, payload, epoch, lease_until, paused_at, parent_run_id, tags, retry_of_run_id)
       values ($1, $2, $2, $2, $3, 'PRODUCTION', 'webhook', 'WEBHOOK', $1, now(), '\\x007b7d', 1,
         now() + interval '15 seconds', case $3 when 'PAUSED' then now() end, $4, $5, $6)`,
      [id, projectId, status, parent, tags, retryOf],
    );
    await pool.query(
      `insert into run_tag (run_id, tag, project_id, flow_id, status) select $1, unnest($3::text[]), $2, $2, 'PAUSED'`,
      [id, projectId, tags],
    );
    return id;
  }
  const rowOf = async (runId: string): Promise<Record<string, unknown>> =>
    (await pool.query<Record<string, unknown>>('select * from flow_run where id = $1', [runId])).rows[0] ?? {};
  const statusOf = async (runId: string) => (await rowOf(runId))['status'];

  describe('cancel', () => {
    it('ends the runs that have not ended, and counts those', async () => {
      const [running, paused, succeeded] = [await aRun('RUNNING'), await aRun('PAUSED'), await aRun('SUCCEEDED')];
      const other = await aRun('RUNNING');

      expect(await bulk.cancel([running, paused, paused, succeeded, anId(), 'x'])).toBe(2);

      for (const runId of [running, paused])
        expect(await rowOf(runId)).toMatchObject({
          status: 'STOPPED',
          status_reason: 'The run was cancelled.',
          finish_time: expect.any(Date) as Date,
          paused_at: null,
          epoch: 1,
          lease_until: expect.any(Date) as Date,
        });
      expect(await Promise.all([succeeded, other].map(statusOf))).toEqual(['SUCCEEDED', 'RUNNING']);
      expect(await bulk.cancel([running, paused])).toBe(0);
    });

    it('ends what the runs wait for', async () => {
      const [paused, other] = [await aRun('PAUSED'), await aRun('PAUSED')];
      for (const runId of [paused, other])
        await pool.query(
          `insert into run_request (run_id, request_id, project_id, kind, step_path, created, due)
           values ($1, 'r', $2, 'timer', 'wait', now(), now())`,
          [runId, projectId],
        );

      await bulk.cancel([paused]);

      const { rows } = await pool.query<object>('select run_id from run_request where ended_at is null');
      expect(rows).toEqual([{ run_id: other }]);
    });

    it('ends all descendants, also those of children that have ended, and counts them', async () => {
      const parent = await aRun('PAUSED');
      const [child, ended] = [await aRun('RUNNING', { parent }), await aRun('FAILED', { parent })];
      const [grandchild, deep] = [await aRun('PAUSED', { parent: ended }), await aRun('RUNNING', { parent: child })];
      const nephew = await aRun('RUNNING', { parent: await aRun('RUNNING') });

      expect(await bulk.cancel([parent])).toBe(4);

      expect(await Promise.all([child, ended, grandchild, deep, nephew].map(statusOf))).toEqual([
        'STOPPED',
        'FAILED',
        'STOPPED',
        'STOPPED',
        'RUNNING',
      ]);
    });

    it('spares a child, and what that has started, but not if the child is named too', async () => {
      const parent = await aRun('PAUSED');
      const [child, other] = [await aRun('PAUSED', { parent }), await aRun('PAUSED', { parent })];
      const grandchild = await aRun('RUNNING', { parent: child });

      expect(await bulk.countCancellable({ projectId, flowRunIds: [parent] }, [child.toUpperCase(), 'x'])).toBe(2);
      expect(await bulk.cancel([parent], [child.toUpperCase(), 'x'])).toBe(2);

      const statuses = await Promise.all([parent, child, other, grandchild].map(statusOf));
      expect(statuses).toEqual(['STOPPED', 'PAUSED', 'STOPPED', 'RUNNING']);
      expect(await bulk.cancel([child], [child])).toBe(2);
    });

    it('is foretold with the descendants of all that is selected, each once', async () => {
      const parent = await aRun('PAUSED');
      const [paused, ended] = [await aRun('PAUSED', { parent }), await aRun('FAILED', { parent })];
      const running = await aRun('RUNNING', { parent: ended });
      await aRun('RUNNING');
      const unfinished = { projectId, status: ['PAUSED', 'RUNNING'] as const };

      expect(await bulk.countCancellable(unfinished)).toBe(4);
      expect(await bulk.countCancellable({ projectId, status: ['PAUSED'] })).toBe(3);
      expect(await bulk.countCancellable({ ...unfinished, flowRunIds: [parent, paused] })).toBe(3);
      expect(await bulk.countCancellable({ ...unfinished, projectId: anId() })).toBe(0);
      expect(await bulk.cancel([parent, paused])).toBe(3);
      expect(await statusOf(running)).toBe('STOPPED');
    });

    it('leaves the children of a run that had ended', async () => {
      const parent = await aRun('SUCCEEDED');
      const child = await aRun('RUNNING', { parent });

      expect(await bulk.cancel([parent])).toBe(0);
      expect(await statusOf(child)).toBe('RUNNING');
    });

    it('tells whoever executes them, with every id', async () => {
      const parent = await aRun('PAUSED');
      const named = await Promise.all(Array.from({ length: 450 }, () => aRun('RUNNING')));
      const child = await aRun('RUNNING', { parent });
      const listener = new Client(database.url);
      await listener.connect();
      const told: string[] = [];
      const all = new Promise<void>((resolve) => {
        listener.on('notification', ({ payload = '[]' }) => {
          told.push(...(JSON.parse(payload) as string[]));
          if (told.length === 452) resolve();
        });
      });
      await listener.query('listen run_stopped');

      expect(await bulk.cancel([parent, ...named])).toBe(452);

      await all;
      expect(told.sort()).toEqual([parent, child, ...named].sort());
      await listener.end();
    });

    it('counts for the metrics what it has stopped before it fails', async () => {
      const meters = new RunMeters();
      const [first = '', ...others] = await Promise.all(Array.from({ length: 201 }, () => aRun('PAUSED')));
      const before = pool.connect.bind(pool) as () => Promise<PoolClient>;
      const connect = jest.spyOn(pool, 'connect') as unknown as jest.SpyInstance<Promise<PoolClient>, []>;
      connect.mockImplementationOnce(before).mockRejectedValueOnce(new Error('The database is away.'));

      await expect(
        new PostgresBulkRuns(dataSource, pool, undefined, meters).cancel([first, ...others]),
      ).rejects.toThrow('is away');

      connect.mockRestore();
      expect(meters.ended.of('STOPPED')).toBe(200);
    });

    it('counts each run once when two cancel at the same time', async () => {
      const runIds = await Promise.all(Array.from({ length: 50 }, () => aRun('RUNNING')));
      const children = await Promise.all(runIds.map((parent) => aRun('RUNNING', { parent })));

      const counts = await Promise.all([
        bulk.cancel(runIds),
        bulk.cancel([...children].reverse()),
        bulk.cancel([...runIds].reverse()),
      ]);

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
      expect(new Set(await Promise.all([...runIds, ...children].map(statusOf)))).toEqual(new Set(['STOPPED']));
    });

    it('lets the runs be found by tag and status', async () => {
      const runId = await aRun('PAUSED', { tags: ['vip'] });

      await bulk.cancel([runId]);

      expect(await bulk.find({ projectId, tags: ['vip'], status: ['STOPPED'] }, null, 10)).toEqual([runId]);
    });
  });

  describe('archive', () => {
    it('marks the runs that have ended and are not archived, and counts those', async () => {
      const [failed, running] = [await aRun('FAILED', { tags: ['vip'] }), await aRun('RUNNING')];
      const archived = await aRun('STOPPED');
      await pool.query('update flow_run set archived_at = $2 where id = $1', [archived, new Date(0)]);

      expect(await bulk.archive([failed, failed, running, archived, anId(), 'x'])).toBe(1);

      expect(await rowOf(failed)).toMatchObject({ archived_at: expect.any(Date) as Date });
      expect(await rowOf(running)).toMatchObject({ archived_at: null });
      expect(await rowOf(archived)).toMatchObject({ archived_at: new Date(0) });
      expect(await bulk.find({ projectId, tags: ['vip'] }, null, 10)).toEqual([]);
      expect(await bulk.find({ projectId, tags: ['vip'], includeArchived: true }, null, 10)).toEqual([failed]);
    });

    // It takes some seconds on a quiet machine.
    it(`marks ${MANY} runs in less than a minute`, async () => {
      await seedMany('SUCCEEDED');

      const startedAt = performance.now();
      const count = await actOnAll((runIds) => bulk.archive(runIds));

      expect(performance.now() - startedAt).toBeLessThan(60_000);
      expect(count).toBe(MANY);
      expect(await bulk.find({ projectId }, null, 1)).toEqual([]);
    }, 120_000);

    async function seedMany(status: FlowRunStatus): Promise<void> {
      const runner = dataSource.createQueryRunner();
      await runner.query('set statement_timeout = 0');
      await runner.query(
        `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by,
           trigger_type, job_id, updated, payload)
         select ('019a0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $1::uuid, $1::uuid, $2,
           'PRODUCTION', 'webhook', 'WEBHOOK', $1::uuid, now(), '\\x007b7d'
         from generate_series(1, ${MANY}) n`,
        [projectId, status],
      );
      await runner.release();
    }

    async function actOnAll(act: (runIds: readonly string[]) => Promise<number>): Promise<number> {
      let sum = 0;
      let afterId: string | null = null;
      for (;;) {
        const runIds: string[] = await bulk.find({ projectId }, afterId, 1_000);
        afterId = runIds.at(-1) ?? null;
        if (afterId === null) return sum;
        sum += await act(runIds);
      }
    }
  });

  describe('find', () => {
    it('answers the oldest first, after an id, without those excluded', async () => {
      const runIds: string[] = [];
      for (let i = 0; i < 6; i++) runIds.push(await aRun(i % 2 ? 'PAUSED' : 'RUNNING'));
      const filter = { projectId, excludeFlowRunIds: [runIds[3] as string, 'x'] };

      expect(await bulk.find(filter, null, 3)).toEqual(runIds.slice(0, 3));
      expect(await bulk.find(filter, runIds[2] as string, 3)).toEqual(runIds.slice(4));
      expect(await bulk.find({ ...filter, status: ['PAUSED'] }, null, 3)).toEqual([runIds[1], runIds[5]]);
    });

    it('leaves out runs that have a retry, when it is asked to', async () => {
      const [retried, tagged] = [await aRun('FAILED'), await aRun('FAILED', { tags: ['vip'] })];
      const last = await aRun('FAILED', { retryOf: await aRun('TIMEOUT', { retryOf: retried }) });
      await aRun('RUNNING', { retryOf: tagged });

      expect(await bulk.find({ projectId, status: ['FAILED', 'TIMEOUT'], withoutRetry: true }, null, 9)).toEqual([
        last,
      ]);
      expect(await bulk.find({ projectId, tags: ['vip'], withoutRetry: true }, null, 9)).toEqual([]);
      expect(await bulk.find({ projectId, flowRunIds: [retried, last], withoutRetry: true }, null, 9)).toEqual([last]);
    });

    it('finds nothing for a project, a flow or a list of statuses that cannot match', async () => {
      await aRun('RUNNING');

      for (const filter of [{ projectId: 'x' }, { projectId, flowId: 'x' }, { projectId, status: [] }])
        expect(await bulk.find(filter, null, 3)).toEqual([]);
      expect(await bulk.find({ projectId, flowRunIds: ['x'] }, null, 3)).toEqual([]);
    });
  });
});
