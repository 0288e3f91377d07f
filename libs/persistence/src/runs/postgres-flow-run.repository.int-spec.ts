import { EntityNotFoundError, InvalidRequestError, type FlowRun, type NewRun, type Page } from '@millrace/domain';
import { aFlow, aFlowVersion, aNewRun, anEnding, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../postgres/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowRunRepository } from './postgres-flow-run.repository';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';

const STARTED = new Date('2026-03-01T10:00:00.000Z');
const FINISHED = new Date('2026-03-01T10:00:01.500Z');

describe('PostgresFlowRunRepository', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let runs: PostgresFlowRunRepository;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;
  let flows: PostgresFlowRepository;
  let ours: Pick<NewRun, 'projectId' | 'flowId' | 'flowVersionId'>;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'run test')).initialize();
    pool = openHotPool(database.url, 'run test');
    flows = new PostgresFlowRepository(dataSource);
    runs = new PostgresFlowRunRepository(dataSource, pool);
    journal = new PostgresRunJournal(pool);
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const flow = aFlow({ projectId: await seedProject(dataSource) });
    const version = aFlowVersion([], { id: newId(), flowId: flow.id, displayName: 'Orders' });
    await flows.insert(flow, version);
    ours = { projectId: flow.projectId, flowId: flow.id, flowVersionId: version.id };
  });

  const accepted = async (more: Partial<NewRun> = {}): Promise<string> =>
    (await intake.accept(aNewRun({ ...ours, ...more }))).runId;
  const idsOf = ({ data }: Page<FlowRun>): string[] => data.map(({ id }) => id);

  describe('list', () => {
    it('shows the newest first, in pages, forth and back', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.unshift(await accepted({ id: newId() }));

      const first = await runs.list(ours, { limit: 2, cursor: null });
      await accepted({ id: newId() });
      const second = await runs.list(ours, { limit: 2, cursor: first.next });
      const third = await runs.list(ours, { limit: 2, cursor: second.next });
      const back = await runs.list(ours, { limit: 2, cursor: third.previous });

      expect([first, second, third, back].map(idsOf)).toEqual([
        ids.slice(0, 2),
        ids.slice(2, 4),
        ids.slice(4),
        ids.slice(2, 4),
      ]);
      expect(first.previous).toBeNull();
      expect(third.next).toBeNull();
    });

    it('keeps to the project, the flow and the statuses asked for, and leaves archived runs out', async () => {
      const [running, failed, archived] = [await accepted(), await accepted(), await accepted()];
      const [otherFlow, foreign] = [await accepted({ flowId: anId() }), await accepted({ projectId: anId() })];
      await journal.finish(anEnding(failed, { status: 'FAILED' }));
      await dataSource.query('update flow_run set archived_at = now() where id = $1', [archived]);
      const listed = async (filter: Partial<Parameters<typeof runs.list>[0]>) =>
        new Set(idsOf(await runs.list({ projectId: ours.projectId, ...filter }, { limit: 100, cursor: null })));

      expect(await listed({})).toEqual(new Set([running, failed, otherFlow]));
      expect(await listed({ flowId: ours.flowId })).toEqual(new Set([running, failed]));
      expect(await listed({ status: ['FAILED', 'STOPPED'] })).toEqual(new Set([failed]));
      expect(await listed({ status: ['RUNNING'], flowId: 'no-id' })).toEqual(new Set());
      expect(foreign).toBeDefined();
    });

    it('refuses a cursor of another list', async () => {
      for (let i = 0; i < 3; i++) await accepted();
      const { next } = await runs.list(ours, { limit: 1, cursor: null });

      const refused = runs.list({ ...ours, status: ['FAILED'] }, { limit: 1, cursor: next });

      await expect(refused).rejects.toBeInstanceOf(InvalidRequestError);
    });

    it('shows each run with the name of its version, also when the flow is gone', async () => {
      const run = aNewRun({ ...ours, id: newId() });
      await intake.accept(run);
      await flows.delete(ours.flowId, 'any', () => undefined);

      const { data } = await runs.list({ projectId: ours.projectId }, { limit: 10, cursor: null });

      expect(data).toMatchObject([
        {
          ...ours,
          id: run.id,
          flowVersion: { displayName: 'Orders' },
          status: 'RUNNING',
          startTime: null,
          finishTime: null,
          tags: [],
          stepsCount: 0,
          waitingOn: { kind: 'worker' },
        },
      ]);
      expect(data[0]?.waitingOn?.since).toEqual(data[0]?.created);
      expect(data[0]).not.toHaveProperty('failedStep');
    });
  });

  describe('getDetail', () => {
    it('has no steps and no log before a worker began', async () => {
      const detail = await runs.getDetail(await accepted(), [ours.projectId]);

      expect(detail.logsFileId).toBeNull();
      expect(detail).not.toHaveProperty('steps');
    });

    it('has the trigger and every step, loops nested, once the run has ended', async () => {
      const runId = await accepted({ payload: '{"body":{"n":1}}' });
      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      await journal.append({
        runId,
        epoch: 1,
        seq: 0,
        records: [{ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 2, input: '{"x":1}', output: '"A"' }],
      });
      await journal.finish(
        anEnding(runId, {
          epoch: 1,
          seq: 1,
          status: 'FAILED',
          finishTime: FINISHED,
          failedStep: { name: 'b', displayName: 'B', message: 'no' },
          records: [
            { path: 'loop[0].b', type: 'CODE', status: 'FAILED', duration: 1, errorMessage: 'no' },
            { path: 'loop', type: 'LOOP_ON_ITEMS', status: 'FAILED', duration: 4, output: '{"item":1,"index":1}' },
          ],
        }),
      );

      const detail = await runs.getDetail(runId, 'any');

      expect(detail).toMatchObject({
        status: 'FAILED',
        startTime: STARTED,
        finishTime: FINISHED,
        failedStep: { name: 'b', displayName: 'B', message: 'no' },
        logsFileId: runId,
      });
      expect(detail).not.toHaveProperty('waitingOn');
      const b = { type: 'CODE', status: 'FAILED', duration: 1, input: null, output: null, errorMessage: 'no' };
      expect(detail.steps).toEqual({
        trigger: { type: 'WEBHOOK', output: { body: { n: 1 } }, duration: 0 },
        a: { type: 'CODE', status: 'SUCCEEDED', duration: 2, input: { x: 1 }, output: 'A' },
        loop: {
          type: 'LOOP_ON_ITEMS',
          status: 'FAILED',
          duration: 4,
          input: null,
          output: { item: 1, index: 1, iterations: [{ b }] },
        },
      });
    });

    it('has no steps when their data was purged', async () => {
      const runId = await accepted();
      await journal.finish(anEnding(runId));
      await dataSource.query('update flow_run set payload = null where id = $1', [runId]);

      const detail = await runs.getDetail(runId, 'any');

      expect(detail.status).toBe('SUCCEEDED');
      expect(detail).not.toHaveProperty('steps');
    });

    it('does not know a run that is unknown, malformed or of another project', async () => {
      const runId = await accepted();

      for (const asked of [
        runs.getDetail(anId(), 'any'),
        runs.getDetail('x', 'any'),
        runs.getDetail(runId, [anId()]),
      ]) {
        await expect(asked).rejects.toBeInstanceOf(EntityNotFoundError);
      }
    });
  });
});
