import { randomBytes } from 'node:crypto';
import {
  BacklogWatch,
  IntakeGate,
  JobQueue,
  MAX_RUNS_PER_JOB,
  RateLimitedError,
  ServiceUnavailableError,
  stepRunKey,
  SystemClock,
  webhookKey,
  type JobLiveness,
  type NewRun,
  type RecordedStep,
  type RunJob,
} from '@millrace/domain';
import { aNewRun, anEnding, anId, InMemoryBacklog, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { spanOf } from '../postgres/run-partitions';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { untilLockWait } from '../testing/stalled-pool';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { dropOldRunKeys } from './run-retention';

const HOUR_MS = 60 * 60 * 1000;
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);

/** A queue that never answers. */
class SilentJobQueue extends JobQueue {
  asked = 0;
  enqueue(): Promise<void> {
    this.asked++;
    return new Promise(() => undefined);
  }
  override replace(_jobs: readonly RunJob[]): Promise<void> {
    return this.enqueue();
  }
  override liveness(): Promise<JobLiveness[]> {
    return new Promise(() => undefined);
  }
}

describe('PostgresRunIntake', () => {
  let database: TestDatabase;
  let pool: Pool;
  let queue: InMemoryJobQueue;
  let intake: PostgresRunIntake;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'intake test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    queue = new InMemoryJobQueue();
    intake = new PostgresRunIntake(pool, queue);
  });

  const runsOf = async (flowId: string) =>
    (
      await pool.query<{ id: string; job_id: string; status: string; test_step: string | null }>(
        'select * from flow_run where flow_id = $1',
        [flowId],
      )
    ).rows;

  it('writes the run, then brings its job to the queue, then answers', async () => {
    const run = aNewRun({ flowId: anId() });

    const acceptance = await intake.accept(run);

    expect(acceptance).toEqual({ runId: run.id, replayed: false });
    expect(await runsOf(run.flowId)).toMatchObject([
      { id: run.id, job_id: run.id, status: 'RUNNING', epoch: 0, start_time: null, triggered_by: 'webhook' },
    ]);
    expect(queue.waiting()).toMatchObject([{ jobId: run.id, priority: 1, runs: [{ runId: run.id }] }]);
  });

  it('lets requests that arrive together share jobs, none larger than allowed, whose ids stand in the rows', async () => {
    const flowId = anId();
    const runs = Array.from({ length: 40 }, () => aNewRun({ flowId }));

    await Promise.all(runs.map((run) => intake.accept(run)));

    const jobs = queue.waiting();
    expect(jobs.map((job) => job.runs.length)).toEqual([MAX_RUNS_PER_JOB, MAX_RUNS_PER_JOB, 8]);
    const jobOfRun = new Map(jobs.flatMap((job) => job.runs.map(({ runId }) => [runId, job.jobId])));
    const rows = await runsOf(flowId);
    expect(rows).toHaveLength(40);
    expect(rows.map(({ id }) => jobOfRun.get(id))).toEqual(rows.map(({ job_id }) => job_id));
  });

  it('puts the runs of a project with a backlog into other jobs than those of projects without', async () => {
    const backlog = new BacklogWatch(new InMemoryBacklog(), new SystemClock(), jest.fn());
    const [flood, quiet, other] = [anId(), anId(), anId()];
    backlog.add(flood, 20_000);
    const runs = [flood, quiet, flood, other, flood].map((projectId) => aNewRun({ projectId }));
    intake = new PostgresRunIntake(pool, queue, { backlog });

    await Promise.all(runs.map((run) => intake.accept(run)));

    const projects = queue.waiting().map((job) => job.runs.map(({ projectId }) => projectId));
    expect(projects).toEqual([
      [flood, flood, flood],
      [quiet, other],
    ]);
  });

  it('refuses a run while there is no room for it, and leaves nothing of it; what an accepted run starts is not refused', async () => {
    const backlog = new BacklogWatch(new InMemoryBacklog(), new SystemClock(), jest.fn());
    const bounds = { runs: 100, runsPerProject: 10, bytes: null, ageSeconds: null, minFreeDiskBytes: null };
    const disk = { bytes: null, keepUp: () => undefined, firstMeasurement: () => Promise.resolve() };
    intake = new PostgresRunIntake(pool, queue, { gate: new IntakeGate(backlog, disk, bounds, new SystemClock()) });
    const [parent, refused] = [aNewRun(), aNewRun({ flowId: anId() })];
    await intake.accept(parent);
    backlog.add(parent.projectId, 10);

    await expect(intake.accept(refused)).rejects.toThrow(RateLimitedError);
    expect(await runsOf(refused.flowId)).toEqual([]);
    const child = aNewRun({ parent: { runId: parent.id, failOnFailure: false, depth: 1 } });
    expect(await intake.accept(child)).toMatchObject({ runId: child.id });
    backlog.add(anId(), 90);
    await expect(intake.accept(aNewRun({ projectId: anId() }))).rejects.toThrow(ServiceUnavailableError);
  });

  it.each([
    ['1 KB', 1_000],
    ['8 KB', 8_000],
    ['5 MB', 5_000_000],
  ])('keeps a payload of %s as it came', async (_, size) => {
    const payload = JSON.stringify({ body: randomBytes(size / 2).toString('hex') });
    const run = aNewRun({ payload });

    await Promise.all([intake.accept(aNewRun({ payload: '1' })), intake.accept(run), intake.accept(aNewRun())]);

    expect((await new PostgresRunJournal(pool, new InMemoryJobQueue()).load(run.id))?.payload).toBe(payload);
  });

  it('makes one run of parallel requests with one key, in one process and in several', async () => {
    const flowId = anId();
    const intakes = [intake, new PostgresRunIntake(pool, queue), new PostgresRunIntake(pool, queue)];
    const requests = Array.from({ length: 60 }, (_, i) => ({
      run: aNewRun({ flowId, idempotencyKey: `webhook:${i % 3}` }),
      i,
    }));

    const acceptances = await Promise.all(
      requests.map(({ run, i }) => (intakes[i % 3 === 0 ? 0 : i % intakes.length] as PostgresRunIntake).accept(run)),
    );

    const rows = await runsOf(flowId);
    expect(rows).toHaveLength(3);
    expect(new Set(acceptances.map(({ runId }) => runId))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(acceptances.filter(({ replayed }) => !replayed)).toHaveLength(3);
    expect(queue.waiting().flatMap(({ runs }) => runs)).toHaveLength(3);
  });

  it('lets processes that meet on the same keys in opposite orders all finish', async () => {
    const flowId = anId();
    const keys = Array.from({ length: 50 }, (_, i) => webhookKey(`${i}`));
    const other = new PostgresRunIntake(pool, queue);

    const first = keys.map((idempotencyKey) => intake.accept(aNewRun({ flowId, idempotencyKey })));
    const second = [...keys].reverse().map((idempotencyKey) => other.accept(aNewRun({ flowId, idempotencyKey })));
    await Promise.all([...first, ...second]);

    expect(await runsOf(flowId)).toHaveLength(50);
  });

  it('answers a repeated key with the first run, also within a group of new ones', async () => {
    const first = aNewRun({ flowId: anId(), idempotencyKey: 'webhook:once', payload: '"first"' });
    await intake.accept(first);

    const [replay, fresh] = await Promise.all([
      intake.accept(aNewRun({ flowId: first.flowId, idempotencyKey: 'webhook:once', payload: '"second"' })),
      intake.accept(aNewRun({ flowId: first.flowId })),
    ]);

    expect(replay).toEqual({ runId: first.id, replayed: true });
    expect(fresh.replayed).toBe(false);
    expect((await new PostgresRunJournal(pool, new InMemoryJobQueue()).load(first.id))?.payload).toBe('"first"');
    expect(queue.waiting().flatMap(({ runs }) => runs)).toHaveLength(2);
  });

  it('keeps keys from outside, keys of steps and keys of retries apart', async () => {
    const flowId = anId();
    const keys = ['webhook:run:step', 'step:run:step', 'retry:run:step'] as const;

    const acceptances = await Promise.all(
      keys.map((idempotencyKey) => intake.accept(aNewRun({ flowId, idempotencyKey }))),
    );

    expect(acceptances.map(({ replayed }) => replayed)).toEqual([false, false, false]);
  });

  it('tells flows with the same key apart', async () => {
    const acceptances = await Promise.all(
      [anId(), anId()].map((flowId) => intake.accept(aNewRun({ flowId, idempotencyKey: 'webhook:same' }))),
    );

    expect(acceptances.map(({ replayed }) => replayed)).toEqual([false, false]);
  });

  it('still knows a key after 23 h, and has forgotten it after 25 h, once', async () => {
    const flowId = anId();
    const recent = aNewRun({ flowId, id: anId(hoursAgo(23)), idempotencyKey: 'webhook:recent' });
    await intake.accept(recent);
    await intake.accept(aNewRun({ flowId, id: anId(hoursAgo(25)), idempotencyKey: 'webhook:old' }));
    const other = new PostgresRunIntake(pool, queue);

    const known = await intake.accept(aNewRun({ flowId, idempotencyKey: 'webhook:recent' }));
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? intake : other).accept(aNewRun({ flowId, idempotencyKey: 'webhook:old' })),
      ),
    );

    expect(known).toEqual({ runId: recent.id, replayed: true });
    expect(again.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(again.map(({ runId }) => runId)).size).toBe(1);
    expect(await runsOf(flowId)).toHaveLength(3);
    expect(queue.waiting().flatMap(({ runs }) => runs)).toHaveLength(3);
  });

  it('makes one run of parallel requests with one key whose ids are on both sides of midnight', async () => {
    const intakes = [intake, new PostgresRunIntake(pool, queue), new PostgresRunIntake(pool, queue)];
    const [before, after] = [new Date('2031-03-01T23:59:59.999Z'), new Date('2031-03-02T00:00:00.001Z')];
    const flowId = anId();

    const acceptances = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        (intakes[i % 3] as PostgresRunIntake).accept(
          aNewRun({ flowId, id: anId(i % 2 ? before : after), idempotencyKey: `webhook:${i % 50}` }),
        ),
      ),
    );

    expect(await runsOf(flowId)).toHaveLength(50);
    for (let key = 0; key < 50; key++) {
      const answers = acceptances.filter((_, i) => i % 50 === key);
      expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
  });

  it('holds a key for 24 hours from the run that made it, however often it is repeated, over two midnights', async () => {
    const flowId = anId();
    const acceptedAt = (time: string) =>
      intake.accept(aNewRun({ flowId, id: anId(new Date(`2031-04-${time}:00Z`)), idempotencyKey: 'webhook:k' }));

    const first = await acceptedAt('01T12:00');
    expect(await acceptedAt('01T23:59')).toEqual({ runId: first.runId, replayed: true });
    expect(await acceptedAt('02T10:00')).toEqual({ runId: first.runId, replayed: true });
    const second = await acceptedAt('03T09:00');
    expect(second.replayed).toBe(false);
    expect(await acceptedAt('04T08:00')).toEqual({ runId: second.runId, replayed: true });
    expect((await acceptedAt('04T09:30')).replayed).toBe(false);
  });

  it('takes keys of any length', async () => {
    const idempotencyKey = stepRunKey(randomBytes(50_000).toString('hex'));
    const run = aNewRun({ flowId: anId(), idempotencyKey });

    expect((await intake.accept(run)).replayed).toBe(false);
    expect(await intake.accept({ ...run, id: anId() })).toEqual({ runId: run.id, replayed: true });
  });

  it('does not look at the keys for runs that have none', async () => {
    const asked = jest.spyOn(pool, 'query');

    await Promise.all([intake.accept(aNewRun()), intake.accept(aNewRun({ kept: [] }))]);

    const statements = asked.mock.calls.map(([sent]) => (sent as unknown as { text: string }).text);
    expect(statements).toHaveLength(2);
    expect(statements.join()).not.toContain('run_key');
    asked.mockRestore();
  });

  it('drops the keys of days that are over for a day', async () => {
    const days = async () =>
      (
        await pool.query<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'run_key'::regclass order by 1`,
        )
      ).rows.map(({ name }) => name);
    const [today, tomorrow] = await days();
    const at = (name = '', hours: number) => new Date(spanOf(name).end.getTime() + hours * HOUR_MS);

    await dropOldRunKeys(pool, at(today, 23.9));
    expect((await days())[0]).toBe(today);
    await dropOldRunKeys(pool, at(today, 24));
    expect((await days())[0]).toBe(tomorrow);
  });

  it('takes a run it is asked for twice for one, as after an answer that got lost', async () => {
    const run = aNewRun({ flowId: anId() });
    const keyed = aNewRun({ flowId: run.flowId, idempotencyKey: 'webhook:key' });

    for (const each of [run, run, keyed, keyed]) expect((await intake.accept(each)).runId).toBe(each.id);

    expect(await runsOf(run.flowId)).toHaveLength(2);
    expect(queue.waiting()).toHaveLength(2);
  });

  it('takes runs that test one step, with the same care for keys and jobs', async () => {
    const test = aNewRun({
      flowId: anId(),
      environment: 'TESTING',
      testStep: 'step_1',
      idempotencyKey: 'webhook:once',
    });

    const acceptances = await Promise.all([
      intake.accept(test),
      intake.accept(aNewRun({ flowId: test.flowId })),
      intake.accept({ ...test, id: anId() }),
    ]);

    expect(acceptances.map(({ replayed }) => replayed)).toEqual([false, false, true]);
    expect(new Set((await runsOf(test.flowId)).map(({ test_step }) => test_step))).toEqual(new Set(['step_1', null]));
    expect(queue.waiting().map(({ jobId }) => jobId)).toContain(test.id);
  });

  it('keeps what is rare about a run', async () => {
    const parent = aNewRun();
    await intake.accept(parent);
    const retried = anId();
    const run = aNewRun({
      flowId: anId(),
      parent: { runId: parent.id, failOnFailure: true, depth: 4 },
      retryOfRunId: retried,
      isAwaited: true,
    });

    await intake.accept(run);

    expect(await runsOf(run.flowId)).toMatchObject([
      {
        ...{ parent_run_id: parent.id, fail_parent_on_failure: true, depth: 4, retry_of_run_id: retried },
        ...{ is_awaited: true, epoch: 0, test_step: null },
      },
    ]);
  });

  it('lets a run take steps over: they are on record, and the next segment follows', async () => {
    const kept: RecordedStep[] = [
      { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: { x: 1 }, output: ['ü'] },
      { path: 'b', type: 'ACTION', status: 'SUCCEEDED', duration: 2, output: null },
    ];
    const [first, other] = [aNewRun({ kept, payload: '"p"' }), aNewRun({ kept: [] })];

    await Promise.all([intake.accept(first), intake.accept(other), intake.accept(first)]);

    const journal = new PostgresRunJournal(pool, queue);
    expect(await journal.load(first.id)).toMatchObject({ epoch: 1, recorded: kept, nextSegment: 1, payload: '"p"' });
    expect(await journal.load(other.id)).toMatchObject({ epoch: 0, recorded: [], nextSegment: 0 });
    const segments = await pool.query('select get_byte(records, 0) as version from run_segment where run_id = $1', [
      first.id,
    ]);
    expect(segments.rows).toEqual([{ version: 2 }]);
  });

  it('keeps what the payload and the steps that were taken over refer to, and shows readers only marks', async () => {
    const refersTo = (text: string) => ({ to: [['crm', 'plain']], at: [[text.indexOf('**'), 0]] }) as const;
    const output = '{"header":"Bearer **REDACTED**"}';
    const step = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1 } as const;
    const kept = [{ ...step, output: JSON.parse(output) as unknown, references: { output: refersTo(output) } }];
    const payload = { text: '["**REDACTED**","ü"]', references: refersTo('["**') };
    const run = aNewRun({ kept, payload });

    await intake.accept(run);

    const journal = new PostgresRunJournal(pool, queue);
    expect(await journal.load(run.id)).toMatchObject({ recorded: kept, payload });
    const first = `select get_byte(records, 0) as version from run_segment where run_id = $1`;
    expect((await pool.query(first, [run.id])).rows).toEqual([{ version: 3 }]);
  });

  it('writes awaited runs that arrive together together', async () => {
    const runs = Array.from({ length: 100 }, () => aNewRun({ isAwaited: true }));
    const asked = jest.spyOn(pool, 'query');

    await Promise.all(runs.map((run) => intake.accept(run)));

    expect(asked.mock.calls.length).toBeLessThanOrEqual(3);
    asked.mockRestore();
  });

  describe('a child', () => {
    const childOf = (runId: string, more: Partial<NewRun> = {}): NewRun =>
      aNewRun({ flowId: anId(), parent: { runId, failOnFailure: false, depth: 1 }, ...more });

    it.each([
      ['has ended', async (journal: PostgresRunJournal, runId: string) => journal.finish(anEnding(runId))],
      ['never was', async (_: PostgresRunJournal, runId: string) => void (await forget(runId))],
    ])('is refused when its parent %s, and nothing is written', async (_, end) => {
      const [ended, alive] = [aNewRun(), aNewRun()];
      await Promise.all([intake.accept(ended), intake.accept(alive)]);
      await end(new PostgresRunJournal(pool, queue), ended.id);
      const [refused, taken] = [childOf(ended.id), childOf(alive.id)];

      const results = await Promise.allSettled([refused, taken, aNewRun()].map((run) => intake.accept(run)));

      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
      expect(results[0]).toMatchObject({
        reason: { code: 'VALIDATION', params: { errors: [{ path: '/svc-parent-run-id' }] } },
      });
      expect(await runsOf(refused.flowId)).toEqual([]);
      expect(queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId))).not.toContain(refused.id);
    });

    it('that was started before is named again after its parent has ended', async () => {
      const parent = aNewRun();
      await intake.accept(parent);
      const first = childOf(parent.id, { idempotencyKey: 'step:key' });
      await intake.accept(first);
      await new PostgresRunJournal(pool, queue).finish(anEnding(parent.id));

      expect(await intake.accept({ ...first, id: anId() })).toEqual({ runId: first.id, replayed: true });
    });

    it('waits for an ending of its parent that is being written, and is refused after it', async () => {
      const parent = aNewRun();
      await intake.accept(parent);
      const ending = await pool.connect();
      await ending.query('begin');
      await ending.query(`update flow_run set status = 'FAILED' where id = $1`, [parent.id]);

      const accepting = intake.accept(childOf(parent.id));
      const refused = expect(accepting).rejects.toMatchObject({ code: 'VALIDATION' });
      await untilLockWait(pool);
      await ending.query('commit');
      ending.release();

      await refused;
    });

    const forget = (runId: string) => pool.query('delete from flow_run where id = $1', [runId]);
  });

  it('fails only the request whose row PostgreSQL refuses', async () => {
    const flowId = anId();
    const runs = Array.from({ length: 9 }, () => aNewRun({ flowId }));
    const poison = aNewRun({ flowId, projectId: 'no-uuid' });

    const results = await Promise.allSettled([...runs, poison].map((run) => intake.accept(run)));

    expect(results.map(({ status }) => status)).toEqual([...runs.map(() => 'fulfilled'), 'rejected']);
    expect(await runsOf(flowId)).toHaveLength(9);
  });

  it('accepts while the queue refuses', async () => {
    queue.fail();

    const acceptance = await intake.accept(aNewRun());

    expect(acceptance.replayed).toBe(false);
  });

  it('waits for a silent queue once, then not for a while, and asks it one thing at a time', async () => {
    const silent = new SilentJobQueue();
    const patient = new PostgresRunIntake(pool, silent, { deadlineMs: 1_000, pauseMs: 60_000 });

    await patient.accept(aNewRun());
    for (let i = 0; i < 5; i++) await patient.accept(aNewRun());

    expect(silent.asked).toBe(2);
  });

  it('refuses in bounded time when the database is away', async () => {
    const nowhere = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });

    const refused: unknown = await new PostgresRunIntake(nowhere, queue)
      .accept(aNewRun())
      .catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(ServiceUnavailableError);
    expect((refused as ServiceUnavailableError).params).toEqual({});

    await nowhere.end();
  });

  it('refuses at once what it could not keep in memory', async () => {
    const small = new PostgresRunIntake(pool, queue, { group: { maxWaitingRows: 2 } });

    const results = await Promise.allSettled(Array.from({ length: 5 }, () => small.accept(aNewRun())));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected']);
  });
});
