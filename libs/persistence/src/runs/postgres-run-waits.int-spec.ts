import { MAX_RUNS_PER_JOB, PAUSED_TOO_LONG, type NewRun, type NewWait } from '@millrace/domain';
import { aNewRun, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { inThisOrder, stalledBefore } from '../testing/stalled-pool';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

const ASKING = aWait('a', { kind: 'human', until: null, request: { kind: 'approval' } });

describe('PostgresRunWaits', () => {
  let database: TestDatabase;
  let pool: Pool;
  let queue: InMemoryJobQueue;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;
  let waits: PostgresRunWaits;
  /** The waits as another process sees them. */
  let others: PostgresRunWaits;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'waits test');
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    queue = new InMemoryJobQueue();
    waits = new PostgresRunWaits(pool, queue);
    others = new PostgresRunWaits(pool, queue);
  });

  const paused = async (wait: NewWait, more: Partial<NewRun> = {}): Promise<string> => {
    const { runId } = await intake.accept(aNewRun(more));
    expect(await journal.pause(aPause(runId, [wait], { epoch: 0 }))).toBe('paused');
    return runId;
  };
  const rowOf = async (runId: string) =>
    (await pool.query<Record<string, unknown>>('select * from flow_run where id = $1', [runId])).rows[0];
  const openWaits = async () =>
    (await pool.query('select from run_request where ended_at is null and due is not null')).rowCount;

  it('finds a request with what the run’s flow is called, and none of a malformed run', async () => {
    const runId = await paused(ASKING);
    const { flowVersionId, flowId } = aNewRun();
    await pool.query(
      `insert into flow_version (id, flow_id, display_name, trigger, valid, schema_version, state, notes, created, updated,
                                 updated_by)
       values ($1, $2, 'Ask the boss', '{}', true, '20', 'LOCKED', '[]', now(), now(), 'me')`,
      [flowVersionId, flowId],
    );

    expect(await waits.find(runId, 'a')).toEqual({
      ...{ requestId: 'a', runId, projectId: aNewRun().projectId, flowName: 'Ask the boss' },
      ...{ request: { kind: 'approval' }, status: 'PAUSED', isOpen: true },
    });
    expect(await waits.find('no-id', 'a')).toBeNull();
    expect(await waits.answer('no-id', 'a', 1)).toBe('refused');
    expect(await waits.find(runId, 'a\0')).toBeNull();
  });

  it('gives one of two processes the answer, and both the same one when theirs are equal', async () => {
    const different = await paused(ASKING);
    const equal = await paused(ASKING);

    const one = await Promise.all([waits.answer(different, 'a', 1), others.answer(different, 'a', 2)]);
    const both = await Promise.all([waits.answer(equal, 'a', { x: 1 }), others.answer(equal, 'a', { x: 1 })]);

    expect(one.sort()).toEqual(['answered', 'refused']);
    expect(both.sort()).toEqual(['answered', 'repeated']);
    expect(queue.waiting()).toHaveLength(2);
  });

  it('lets an answer wait for another one that is being written, and refuses it then', async () => {
    const runId = await paused(ASKING);
    const before = stalledBefore(pool, 'resume-runs');
    const first = new PostgresRunWaits(before.pool, queue);

    const results = await inThisOrder(
      before,
      () => first.answer(runId, 'a', 1),
      () => waits.answer(runId, 'a', 2),
    );

    expect(results).toEqual(['answered', 'refused']);
    expect(queue.waiting()).toHaveLength(1);
  });

  it('refuses an answer that comes while the wait is being ended because it is due', async () => {
    const runId = await paused({ ...ASKING, until: new Date(Date.now() - 1_000) });
    const before = stalledBefore(pool, 'resume-runs');
    const due = new PostgresRunWaits(before.pool, queue);

    const [{ ended }, result] = await inThisOrder(
      before,
      () => due.endDue(1),
      () => waits.answer(runId, 'a', 'yes'),
    );

    expect([ended, result]).toEqual([1, 'refused']);
    expect((await journal.load(runId))?.waitEndings.get('a')).toEqual({ kind: 'unanswered' });
    expect(queue.waiting()).toHaveLength(1);
  });

  it('takes an answer with what PostgreSQL cannot hold for equal to itself', async () => {
    const runId = await paused(ASKING);

    expect(await waits.answer(runId, 'a', { text: 'a\0b \ud800' })).toBe('answered');
    expect(await waits.answer(runId, 'a', { text: 'a\0b \ud800' })).toBe('repeated');
  });

  it('notes the job of a run before the queue has it, also when the queue is away', async () => {
    const runId = await paused(ASKING);
    queue.fail();

    expect(await waits.answer(runId, 'a', 1)).toBe('answered');

    const row = await rowOf(runId);
    expect(row).toMatchObject({ status: 'RUNNING', paused_at: expect.any(Date), lease_until: null });
    expect(row?.['job_id']).not.toBe(runId);
  });

  it('ends a wait once when it is due and answered at the same time', async () => {
    const asking = { ...ASKING, until: new Date(Date.now() - 1_000) };
    const runIds = await Promise.all(Array.from({ length: 30 }, () => paused(asking)));

    const [answers] = await Promise.all([
      Promise.all(runIds.map((runId) => waits.answer(runId, 'a', 'yes'))),
      others.endDue(1_000),
      waits.endDue(1_000),
    ]);
    await waits.endDue(1_000);

    const runs = await Promise.all(runIds.map((runId) => journal.load(runId)));
    expect(runs.map((run) => run?.waitEndings.get('a')?.kind)).toEqual(
      answers.map((answer) => (answer === 'answered' ? 'human' : 'unanswered')),
    );
    expect(
      queue
        .waiting()
        .flatMap((job) => job.runs.map(({ runId }) => runId))
        .sort(),
    ).toEqual([...runIds].sort());
  });

  it('ends the waits of each run once when several ask at the same time, in jobs whose ids stand in the rows', async () => {
    const runIds = await Promise.all(Array.from({ length: 100 }, () => paused(aWait('a'))));

    await Promise.all([waits.endDue(60), others.endDue(60), waits.endDue(60)]);
    while ((await waits.endDue(60)).ended > 0) continue;

    const jobs = queue.waiting();
    expect(jobs.flatMap((job) => job.runs.map(({ runId }) => runId)).sort()).toEqual([...runIds].sort());
    expect(Math.max(...jobs.map((job) => job.runs.length))).toBe(MAX_RUNS_PER_JOB);
    const jobOf = new Map(jobs.flatMap(({ jobId, runs }) => runs.map(({ runId }) => [runId, jobId])));
    for (const runId of runIds) expect(await rowOf(runId)).toMatchObject({ job_id: jobOf.get(runId), epoch: 1 });
    expect(jobs[0]?.runs[0]).toMatchObject({ executionType: 'RESUME', payload: { runId: expect.any(String) } });
  });

  it('does not wait for a run that somebody else holds', async () => {
    const [held, free] = [await paused(aWait('a')), await paused(aWait('a'))];
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from flow_run where id = $1 for update', [held]);

    expect(await waits.endDue(10)).toEqual({ ended: 1 });
    await holder.query('rollback');
    holder.release();

    expect((await rowOf(free))?.['status']).toBe('RUNNING');
    expect(await waits.endDue(10)).toEqual({ ended: 1 });
    expect((await rowOf(held))?.['status']).toBe('RUNNING');
  });

  it('times a run out with a reason and an end, tells its parent’s duty, and closes its other waits', async () => {
    const parent = await intake.accept(aNewRun());
    const { runId } = await intake.accept(aNewRun({ parent: { runId: parent.runId, failOnFailure: true, depth: 1 } }));
    const later = aWait('b', { stepPath: 'step_2', until: new Date('2999-01-01') });
    await journal.pause(aPause(runId, [ASKING, later], { epoch: 0 }));
    await pool.query(`update run_request set due = due - interval '40 days' where run_id = $1`, [runId]);
    const before = await openWaits();

    await waits.endDue(10);

    expect(await rowOf(runId)).toMatchObject({
      ...{ status: 'TIMEOUT', status_reason: PAUSED_TOO_LONG, finish_time: expect.any(Date), paused_at: null },
      ...{ parent_told: false, failed_step: null },
    });
    expect(await openWaits()).toBe(Number(before) - 2);
    expect(queue.waiting()).toEqual([]);
  });

  // It takes half a second on a quiet machine.
  it('ends 2,000 waits within some seconds', async () => {
    const runIds = await Promise.all(Array.from({ length: 2_000 }, () => paused(aWait('a'))));
    const started = performance.now();

    let ended = 0;
    for (let due = await waits.endDue(500); due.ended > 0; due = await waits.endDue(500)) ended += due.ended;

    const seconds = (performance.now() - started) / 1_000;
    expect(ended).toBe(runIds.length);
    expect(seconds).toBeLessThan(10);
  });
});
