import type { EventDestination, NewRun } from '@millrace/domain';
import { aNewRun, anEnding, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { PostgresBulkRuns } from '../runs/postgres-bulk-runs';
import { PostgresFlowRunRepository } from '../runs/postgres-flow-run.repository';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresRunJournal } from '../runs/postgres-run-journal';
import { PostgresRunWaits } from '../runs/postgres-run-waits';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';

const STARTED = new Date('2026-03-01T10:00:00.123Z');
const FINISHED = new Date('2026-03-01T10:00:02.000Z');
const LEASE = 15;

interface DeliveryRow {
  destination_id: string;
  event_id: string;
  type: string;
  status: string;
  data: Record<string, unknown>;
}

describe('the events of runs', () => {
  let database: TestDatabase;
  let pool: Pool;
  let dataSource: DataSource;
  let journal: PostgresRunJournal;
  let waits: PostgresRunWaits;
  let bulk: PostgresBulkRuns;
  let intake: PostgresRunIntake;
  let runs: PostgresFlowRunRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'run event test');
    dataSource = await new DataSource(dataSourceOptions(database.url, 'run event test')).initialize();
    const queue = new InMemoryJobQueue();
    journal = new PostgresRunJournal(pool, queue);
    waits = new PostgresRunWaits(pool, queue);
    bulk = new PostgresBulkRuns(dataSource, pool);
    intake = new PostgresRunIntake(pool, queue);
    runs = new PostgresFlowRunRepository(dataSource, pool);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
    await seedDestination(pool, projectId);
  });

  const accepted = async (more: Partial<NewRun> = {}): Promise<string> =>
    (await intake.accept(aNewRun({ projectId, ...more }))).runId;
  const deliveriesOf = async (runId: string): Promise<DeliveryRow[]> => {
    const text = `select * from event_delivery where data ->> 'id' = $1 order by id`;
    return (await pool.query<DeliveryRow>(text, [runId])).rows;
  };
  const kindsOf = async (runId: string) => (await deliveriesOf(runId)).map(({ type }) => type).sort();
  const shown = async (runId: string): Promise<unknown> => {
    const { waitingOn: _waitingOn, ...run } = await runs.get(runId, 'any');
    return JSON.parse(JSON.stringify(run));
  };

  it('tell a run that ends before any claim as started and ended, once', async () => {
    const runId = await accepted();

    await journal.finish(anEnding(runId));
    await journal.finish(anEnding(runId));

    expect(await kindsOf(runId)).toEqual(['flow_run.started', 'flow_run.succeeded']);
  });

  it('cost the runs of other projects nothing', async () => {
    const other = await seedProject(dataSource);
    const query = jest.spyOn(pool, 'query');
    const statements = (): string[] => query.mock.calls.map(([sent]) => (sent as { name?: string }).name ?? '');
    const fresh = new PostgresRunJournal(pool, new InMemoryJobQueue());
    const finish = async (ofProject: string): Promise<boolean> => {
      const runId = await accepted({ projectId: ofProject });
      return fresh.finish({ ...anEnding(runId), projectId: ofProject });
    };
    await finish(other);
    await query.mock.results[statements().indexOf('projects-that-listen')]?.value;
    await new Promise((resolve) => setImmediate(resolve));
    query.mockClear();

    expect(await Promise.all([finish(other), finish(projectId), finish(other)])).toEqual([true, true, true]);

    expect(
      statements()
        .filter((name) => name.startsWith('finish'))
        .sort(),
    ).toEqual(['finish-runs', 'finish-runs-with-events']);
    query.mockRestore();
  });

  it('tell the start with the first claim that begins the run, and not with later ones', async () => {
    const runId = await accepted();

    await journal.claim({ runId, epoch: 0 }, null, LEASE);
    expect(await kindsOf(runId)).toEqual([]);

    await journal.release({ runId, epoch: 1 });
    await journal.claim({ runId, epoch: 2 }, STARTED, LEASE);
    expect(await kindsOf(runId)).toEqual(['flow_run.started']);

    await journal.release({ runId, epoch: 3 });
    await journal.claim({ runId, epoch: 4 }, STARTED, LEASE);
    await journal.finish(anEnding(runId, { epoch: 5, startTime: STARTED, finishTime: FINISHED }));
    expect(await kindsOf(runId)).toEqual(['flow_run.started', 'flow_run.succeeded']);
  });

  it.each([
    ['SUCCEEDED', 'flow_run.succeeded'],
    ['FAILED', 'flow_run.failed'],
    ['INTERNAL_ERROR', 'flow_run.failed'],
    ['TIMEOUT', 'flow_run.timed_out'],
    ['STOPPED', 'flow_run.stopped'],
  ] as const)('tell the ending %s as %s', async (status, kind) => {
    const runId = await accepted();

    await journal.finish(anEnding(runId, { status, tags: ['a'] }));

    expect(await kindsOf(runId)).toEqual(['flow_run.started', kind].sort());
  });

  it('tell a pause and the resumption', async () => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

    await journal.pause(aPause(runId, [aWait('a')]));
    expect(await kindsOf(runId)).toEqual(['flow_run.paused', 'flow_run.started']);

    await waits.endDue(100);
    expect(await kindsOf(runId)).toEqual(['flow_run.paused', 'flow_run.resumed', 'flow_run.started']);
  });

  it('tell that a pause lasted too long', async () => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
    const human = aWait('b', { kind: 'human', until: null });
    await journal.pause(aPause(runId, [human]));
    await pool.query(`update run_request set due = now() where run_id = $1`, [runId]);

    await waits.endDue(100);

    expect(await kindsOf(runId)).toEqual(['flow_run.paused', 'flow_run.started', 'flow_run.timed_out']);
  });

  it('tell a cancel once, although the worker also stops the run', async () => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

    await bulk.cancel([runId]);
    expect(await journal.finish(anEnding(runId, { epoch: 1, status: 'STOPPED', finishTime: FINISHED }))).toBe(true);

    expect(await kindsOf(runId)).toEqual(['flow_run.started', 'flow_run.stopped']);
  });

  it('tell nothing of a write that a fence keeps off', async () => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

    expect(await journal.finish(anEnding(runId, { epoch: 0 }))).toBe(false);
    expect(await journal.claim({ runId, epoch: 1 }, STARTED, LEASE)).toBeNull();

    expect(await kindsOf(runId)).toEqual(['flow_run.started']);
  });

  it('tell nothing of a test of one step', async () => {
    const runId = await accepted({ testStep: 'step_1', environment: 'TESTING' });

    await journal.finish(anEnding(runId));

    expect(await kindsOf(runId)).toEqual([]);
  });

  it('show the run as its list does', async () => {
    const runId = await accepted();
    const failedStep = { name: 'step_1', displayName: 'Ask', message: 'No "answer".\n\u2028', fingerprint: 'f' };

    await journal.finish(anEnding(runId, { status: 'FAILED', failedStep, statusReason: 'Why.', tags: ['a', '"b"'] }));

    const [, ended] = (await deliveriesOf(runId)).sort((one, other) => (one.type < other.type ? 1 : -1));
    expect(ended?.data).toEqual(await shown(runId));
    expect(ended?.data['failedStep']).toEqual({ name: 'step_1', displayName: 'Ask', message: failedStep.message });
  });

  it('show a run that has not ended as its list does', async () => {
    const runId = await accepted();

    await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

    expect((await deliveriesOf(runId))[0]?.data).toEqual(await shown(runId));
  });

  describe('for several destinations', () => {
    const seed = (more: Partial<EventDestination>, project = projectId) => seedDestination(pool, project, more);

    it('have one id for all that listen', async () => {
      await seed({});
      const runId = await accepted();

      await journal.finish(anEnding(runId));

      const deliveries = await deliveriesOf(runId);
      expect(deliveries).toHaveLength(4);
      expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(2);
      expect(new Set(deliveries.map(({ destination_id }) => destination_id)).size).toBe(2);
    });

    it('go to none that is disabled, listens to other kinds or is of another project', async () => {
      const failures = await seed({ events: ['flow_run.failed'] });
      const disabled = await seed({ status: 'DISABLED' });
      const foreign = await seed({}, await seedProject(dataSource));
      const runId = await accepted();

      await journal.finish(anEnding(runId));

      const destinations = (await deliveriesOf(runId)).map(({ destination_id }) => destination_id);
      for (const other of [failures, disabled, foreign]) expect(destinations).not.toContain(other);
      expect(destinations).toHaveLength(2);
    });
  });
});
