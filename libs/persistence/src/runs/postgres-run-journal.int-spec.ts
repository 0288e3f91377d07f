import { randomBytes } from 'node:crypto';
import { RunMeters, type NewRun, type StepRecord } from '@millrace/domain';
import {
  aChildRun,
  aNewRun,
  anEnding,
  anId,
  aPause,
  aPausedRecord,
  aWait,
  InMemoryJobQueue,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { inThisOrder, stalledBefore } from '../testing/stalled-pool';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

const STARTED = new Date('2026-03-01T10:00:00.123Z');
const LATER = new Date('2026-03-01T10:00:05.000Z');
const LEASE = 15;

const record = (path: string, more: Partial<StepRecord> = {}): StepRecord => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 3,
  input: '{"a":1}',
  output: JSON.stringify(path),
  ...more,
});

describe('PostgresRunJournal', () => {
  let database: TestDatabase;
  let pool: Pool;
  let journal: PostgresRunJournal;
  /** A journal of another process. */
  let other: PostgresRunJournal;
  let waits: PostgresRunWaits;
  let families: PostgresRunFamilies;
  let intake: PostgresRunIntake;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'journal test');
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    other = new PostgresRunJournal(pool, new InMemoryJobQueue());
    waits = new PostgresRunWaits(pool, new InMemoryJobQueue());
    families = new PostgresRunFamilies(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const accepted = async (more: Partial<NewRun> = {}): Promise<string> => (await intake.accept(aNewRun(more))).runId;
  const rowOf = async (runId: string) =>
    (await pool.query<Record<string, unknown>>('select * from flow_run where id = $1', [runId])).rows[0];
  const segmentCount = async (runId: string) =>
    (await pool.query('select from run_segment where run_id = $1', [runId])).rowCount;

  const requestsOf = async (runId: string) =>
    (await pool.query<Record<string, unknown>>('select * from run_request where run_id = $1', [runId])).rows;
  const cancel = (runId: string) =>
    pool.query(
      `update flow_run set status = 'STOPPED', finish_time = now() where id = $1 and status in ('RUNNING', 'PAUSED')`,
      [runId],
    );

  it('counts each run that it ends once, with its duration, and none that was ended from outside', async () => {
    const meters = new RunMeters();
    const counting = new PostgresRunJournal(pool, new InMemoryJobQueue(), { meters });
    const [runId, cancelled] = [await accepted(), await accepted()];
    await cancel(cancelled);

    const times = { startTime: STARTED, finishTime: LATER };
    await Promise.all([
      counting.finish(anEnding(runId, { status: 'FAILED', ...times })),
      counting.finish(anEnding(runId, { status: 'FAILED', ...times })),
      counting.finish(anEnding(cancelled, { status: 'STOPPED' })),
    ]);

    expect(meters.ended.entries().filter(([, count]) => count > 0)).toEqual([['FAILED', 1]]);
    expect(meters.duration.sum).toBeCloseTo(4.877);
  });

  it.each([
    ['broken', 'bytes that are no record', Buffer.from([2, 1, 9, 9, 9])],
    ['broken', 'an unknown mark', Buffer.from([255, 0, 1])],
    ['broken', 'no bytes', Buffer.alloc(0)],
    ['broken', 'zeros', Buffer.alloc(64)],
    ['broken', 'JSON of another shape', Buffer.from('\x02\x00[null]')],
    ['newer', 'a later version', Buffer.from([4, 0, 1])],
    ['newer', 'a later way to store JSON', Buffer.from([2, 2, 1])],
  ] as const)('says of a run that its record is %s (%s), and loads its neighbours', async (reason, _what, bytes) => {
    const [run, neighbour] = [await accepted(), await accepted()];
    for (const runId of [run, neighbour]) {
      const epoch = (await journal.claim({ runId, epoch: 0 }, STARTED, LEASE)) ?? -1;
      await journal.append({ stepsCount: 1, runId, epoch, seq: 0, records: [record('a')] });
    }
    await pool.query('update run_segment set records = $2 where run_id = $1', [run, bytes]);

    const [loaded, beside] = await Promise.all([journal.load(run), journal.load(neighbour)]);

    expect(loaded).toMatchObject({ unreadable: reason, recorded: [], nextSegment: 1 });
    expect(beside).toMatchObject({ unreadable: null, recorded: [{ path: 'a' }] });
  });

  it('keeps what records refer to, in a format that earlier releases refuse', async () => {
    const [runId, other] = [await accepted(), await accepted()];
    const references = { output: { to: [['crm', 'plain']], at: [[1, 0]] } } as const;
    for (const [id, more] of [
      [runId, { references }],
      [other, {}],
    ] as const) {
      const epoch = (await journal.claim({ runId: id, epoch: 0 }, STARTED, LEASE)) ?? -1;
      const records = [{ ...record('a'), output: '"**REDACTED**"', ...more }];
      await journal.append({ stepsCount: 1, runId: id, epoch, seq: 0, records });
    }

    expect((await journal.load(runId))?.recorded).toMatchObject([{ output: '**REDACTED**', references }]);
    const first = 'select get_byte(records, 0) as version from run_segment where run_id = any($1) order by run_id = $2';
    expect((await pool.query(first, [[runId, other], runId])).rows).toEqual([{ version: 2 }, { version: 3 }]);
  });

  it.each([
    ['broken', 'deflated bytes that are none', Buffer.from([1, 9, 9, 9])],
    ['newer', 'a later mark', Buffer.from([6, 0, 1])],
  ] as const)('says of a run that its payload is %s (%s), and loads its neighbours', async (reason, _what, bytes) => {
    const [run, neighbour] = [await accepted(), await accepted()];
    await pool.query('update flow_run set payload = $2 where id = $1', [run, bytes]);

    const [loaded, beside] = await Promise.all([journal.load(run), journal.load(neighbour)]);

    expect(loaded).toMatchObject({ unreadable: reason, recorded: [], payload: 'null' });
    expect(beside).toMatchObject({ unreadable: null, payload: '{"body":{}}' });
  });

  it('reads segments of before they had a version', async () => {
    const runId = await accepted();
    const epoch = (await journal.claim({ runId, epoch: 0 }, STARTED, LEASE)) ?? -1;
    await journal.append({ stepsCount: 1, runId, epoch, seq: 0, records: [record('a')] });
    await pool.query('update run_segment set records = substr(records, 2) where run_id = $1', [runId]);

    expect(await journal.load(runId)).toMatchObject({ unreadable: null, recorded: [{ path: 'a' }] });
  });

  describe('load', () => {
    it('gives a new run its payload and nothing recorded', async () => {
      const run = aNewRun({ payload: '{"body":{"b":1,"a":2}}', triggerType: 'MANUAL', environment: 'TESTING' });
      await intake.accept(run);

      expect(await journal.load(run.id)).toEqual({
        id: run.id,
        projectId: run.projectId,
        flowId: run.flowId,
        flowVersionId: run.flowVersionId,
        status: 'RUNNING',
        environment: 'TESTING',
        triggerType: 'MANUAL',
        epoch: 0,
        isLeased: false,
        startTime: null,
        payload: '{"body":{"b":1,"a":2}}',
        testStep: null,
        recorded: [],
        nextSegment: 0,
        timeUsedMs: null,
        waitEndings: new Map(),
        workerDeaths: 0,
        parentRunId: null,
        depth: 0,
        isAwaited: false,
        unreadable: null,
      });
    });

    it('asks for the endings of waits only when a recorded step waits', async () => {
      const [plain, waiting] = [await accepted(), await accepted()];
      for (const runId of [plain, waiting]) await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
      await journal.append({ stepsCount: 1, runId: plain, epoch: 1, seq: 0, records: [record('a')] });
      await journal.append({
        stepsCount: 1,
        runId: waiting,
        epoch: 1,
        seq: 0,
        records: [aPausedRecord('a', 'request')],
      });
      const asked = jest.spyOn(pool, 'query');

      await journal.load(plain);
      const forPlain = asked.mock.calls.length;
      await journal.load(waiting);

      expect([forPlain, asked.mock.calls.length - forPlain]).toEqual([2, 3]);
      asked.mockRestore();
    });

    it('reads a few megabytes with a statement, however large the runs of the group are', async () => {
      const large = () => randomBytes(3 * 1024 * 1024).toString('base64');
      const payloads = [0, 1, 2].map(() => JSON.stringify(large()));
      const runs = await Promise.all(payloads.map((payload) => accepted({ payload })));
      const output = JSON.stringify(large());
      for (const runId of runs) {
        await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
        await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [record('step_0', { output })] });
        await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 1, records: [record('step_1')] });
      }
      const asked = jest.spyOn(pool, 'query');

      const loaded = await Promise.all(runs.map((runId) => journal.load(runId)));

      const read = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<{ rows: object[] }>));
      asked.mockRestore();
      const bytesOf = (row: object) =>
        Object.values(row).reduce(
          (sum: number, value: unknown) => sum + (Buffer.isBuffer(value) ? value.length : 0),
          0,
        );
      const bytes = read.map(({ rows }) => rows.reduce((sum, row) => sum + bytesOf(row), 0));
      expect(Math.max(...bytes)).toBeLessThan(16 * 1024 * 1024);
      expect(loaded.map((run) => run?.payload === payloads[runs.indexOf(run?.id ?? '')])).toEqual([true, true, true]);
      expect(loaded.map((run) => run?.recorded.map(({ path }) => path))).toEqual(runs.map(() => ['step_0', 'step_1']));
    }, 120_000);

    it('gives the row alone, and null for what does not exist', async () => {
      const parentId = await accepted();
      const runId = await accepted({ parent: { runId: parentId, failOnFailure: true, depth: 3 }, payload: '{"a":1}' });
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
      await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [record('a')] });

      const [head, nothing] = await Promise.all([journal.loadHead(runId), journal.loadHead(anId())]);
      const whole = await journal.load(runId);

      expect(whole).toMatchObject({ ...head, timeUsedMs: expect.any(Number) });
      expect(head).toMatchObject({ id: runId, epoch: 1, depth: 3, isLeased: true });
      expect(head).not.toHaveProperty('payload');
      expect(nothing).toBeNull();
    });

    it('tells of the run above it, and that somebody waits for it', async () => {
      const parentId = await accepted();
      const runId = await accepted({ parent: { runId: parentId, failOnFailure: true, depth: 3 }, isAwaited: true });

      expect(await journal.load(runId)).toMatchObject({ parentRunId: parentId, depth: 3, isAwaited: true });
    });

    it('names the step that a run tests alone', async () => {
      const runs = ['step_1', undefined, 'step "2"\\'].map((testStep) => aNewRun({ environment: 'TESTING', testStep }));
      await Promise.all(runs.map((run) => intake.accept(run)));

      const loaded = await Promise.all(runs.map(({ id }) => journal.load(id)));

      expect(loaded.map((run) => run?.testStep)).toEqual(['step_1', null, 'step "2"\\']);
    });

    it('answers many at once, each its own, and null for what does not exist', async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => accepted({ payload: `${i}` })));

      const runs = await Promise.all([...ids, anId(), 'no-id', ids[0] as string].map((id) => journal.load(id)));

      expect(runs.map((run) => run?.payload)).toEqual([...ids.map((_, i) => `${i}`), undefined, undefined, '0']);
    });
  });

  describe('claim', () => {
    it.each(['in one group', 'from several processes'])('goes to exactly one of many that ask %s', async (where) => {
      const runId = await accepted();
      const askers = Array.from({ length: 10 }, () =>
        where === 'in one group' ? journal : new PostgresRunJournal(pool, new InMemoryJobQueue()),
      );

      const epochs = await Promise.all(askers.map((asker) => asker.claim({ runId, epoch: 0 }, STARTED, LEASE)));

      expect(epochs.filter((epoch) => epoch === 1)).toHaveLength(1);
      expect(epochs.filter((epoch) => epoch === null)).toHaveLength(9);
    });
  });

  describe('append', () => {
    it('is read back in the order of the segments, whatever is in the records', async () => {
      const runId = await accepted();
      const large = JSON.stringify(randomBytes(200_000).toString('hex'));
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

      const kept = await Promise.all([
        journal.append({
          stepsCount: 1,
          runId,
          epoch: 1,
          seq: 1,
          records: [record('b', { output: large, logs: ['a', 'ü'] })],
        }),
        journal.append({
          stepsCount: 1,
          runId,
          epoch: 1,
          seq: 0,
          records: [record('a'), record('loop[0].x', { input: undefined, output: undefined, errorMessage: 'no "x"' })],
        }),
      ]);

      expect(kept).toEqual([true, true]);
      const run = await journal.load(runId);
      expect(run?.nextSegment).toBe(2);
      expect(run?.recorded).toEqual([
        { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 3, input: { a: 1 }, output: 'a' },
        { path: 'loop[0].x', type: 'CODE', status: 'SUCCEEDED', duration: 3, errorMessage: 'no "x"' },
        {
          path: 'b',
          type: 'CODE',
          status: 'SUCCEEDED',
          duration: 3,
          input: { a: 1 },
          output: JSON.parse(large) as string,
          logs: ['a', 'ü'],
        },
      ]);
    });

    it('gives back what a step asked of its run, and when its next attempt is due', async () => {
      const runId = await accepted();
      const waiting: StepRecord = {
        path: 'call',
        type: 'ACTION',
        status: 'RUNNING',
        duration: 12,
        attempts: 2,
        retryAt: '2026-03-01T10:00:09.000Z',
        errorMessage: 'It said no.',
      };
      const answering: StepRecord = {
        path: 'answer',
        type: 'ACTION',
        status: 'SUCCEEDED',
        duration: 1,
        effects: {
          tags: ['vip', 'a "b"'],
          response: { status: 201, headers: { 'x-run': 'ü' }, body: { list: [1, null, 'x'] } },
          stop: { status: 'FAILED', message: 'Enough.' },
        },
      };
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

      await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [waiting] });
      await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 1, records: [answering] });

      expect((await journal.load(runId))?.recorded).toEqual([waiting, answering]);
    });

    it('tells how many steps the run has executed while it goes on', async () => {
      const [one, other] = [await accepted(), await accepted()];
      const stepsCounts = async () => [(await rowOf(one))?.['steps_count'], (await rowOf(other))?.['steps_count']];
      for (const runId of [one, other]) await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

      await Promise.all([
        journal.append({ stepsCount: 2, runId: one, epoch: 1, seq: 0, records: [record('a'), record('b')] }),
        journal.append({ stepsCount: 3, runId: one, epoch: 1, seq: 1, records: [record('c')] }),
        journal.append({ stepsCount: 1, runId: other, epoch: 1, seq: 0, records: [record('a')] }),
      ]);

      expect(await stepsCounts()).toEqual([3, 1]);
      expect(await journal.append({ stepsCount: 9, runId: one, epoch: 0, seq: 2, records: [record('d')] })).toBe(false);
      expect(await stepsCounts()).toEqual([3, 1]);
    });
  });

  describe('finish', () => {
    it('writes status, ending and the last segment together', async () => {
      const runId = await accepted();
      const failedStep = { name: 'b', displayName: 'Step "B"', message: 'It said {no}, \\ and "NULL"' };

      const won = await journal.finish(
        anEnding(runId, {
          status: 'FAILED',
          startTime: STARTED,
          finishTime: LATER,
          stepsCount: 2,
          failedStep,
          statusReason: 'step b failed, "really"',
          tags: ['one', 'two, with comma', 'NULL'],
        }),
      );

      expect(won).toBe(true);
      expect(await rowOf(runId)).toMatchObject({
        status: 'FAILED',
        start_time: STARTED,
        finish_time: LATER,
        steps_count: 2,
        failed_step: failedStep,
        status_reason: 'step b failed, "really"',
        tags: ['one', 'two, with comma', 'NULL'],
        lease_until: null,
      });
      expect(await segmentCount(runId)).toBe(1);
    });

    it('stores texts that hold U+0000', async () => {
      const runId = await accepted();

      const won = await journal.finish(
        anEnding(runId, {
          status: 'FAILED',
          statusReason: 'a\0b',
          tags: ['c\0'],
          failedStep: { name: 'x', displayName: 'y\0', message: '\0 \ud800' },
        }),
      );

      expect(won).toBe(true);
      expect(await rowOf(runId)).toMatchObject({
        status_reason: 'a\ufffdb',
        tags: ['c\ufffd'],
        failed_step: { displayName: 'y\ufffd', message: '\ufffd \ufffd' },
      });
    });

    it('changes nothing a second time: a final status is final', async () => {
      const runId = await accepted();
      await journal.finish(anEnding(runId));
      const before = await rowOf(runId);

      const again = await journal.finish(anEnding(runId, { status: 'FAILED', seq: 1 }));

      expect(again).toBe(false);
      expect(await rowOf(runId)).toEqual(before);
      expect(await segmentCount(runId)).toBe(1);
    });

    it('is won by one of two endings in one group', async () => {
      const runId = await accepted();

      const won = await Promise.all([
        journal.finish(anEnding(runId)),
        journal.finish(anEnding(runId, { status: 'STOPPED', seq: 5 })),
      ]);

      expect(won).toEqual([true, false]);
      expect((await rowOf(runId))?.['status']).toBe('SUCCEEDED');
      expect(await segmentCount(runId)).toBe(1);
    });

    it('needs no records, and is answered false for a run that never was', async () => {
      const runId = await accepted();

      const won = await Promise.all([
        journal.finish(anEnding(runId, { records: [], status: 'INTERNAL_ERROR' })),
        journal.finish(anEnding(anId())),
      ]);

      expect(won).toEqual([true, false]);
      expect(await segmentCount(runId)).toBe(0);
    });

    it('adds to a cancelled run what its worker had to record, and leaves its ending as it is', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
      await pool.query(
        `update flow_run set status = 'STOPPED', finish_time = $2, status_reason = 'By a person.' where id = $1`,
        [runId, STARTED],
      );

      const added = await journal.finish(
        anEnding(runId, { epoch: 1, status: 'STOPPED', statusReason: 'By its worker.', stepsCount: 7, tags: ['late'] }),
      );

      expect(added).toBe(true);
      expect(await rowOf(runId)).toMatchObject({
        ...{ status: 'STOPPED', finish_time: STARTED, status_reason: 'By a person.' },
        ...{ steps_count: 7, tags: ['late'], lease_until: null },
      });
      expect(await segmentCount(runId)).toBe(1);
    });

    it('lets several workers end the same runs in opposite orders, each run once', async () => {
      const runIds = await Promise.all(Array.from({ length: 100 }, () => accepted()));
      const other = new PostgresRunJournal(pool, new InMemoryJobQueue());

      const first = runIds.map((runId) => journal.finish(anEnding(runId)));
      const second = [...runIds].reverse().map((runId) => other.finish(anEnding(runId)));
      const won = await Promise.all([...first, ...second]);

      expect(won.filter(Boolean)).toHaveLength(100);
    });
  });

  describe('pause', () => {
    it('writes what the run has come to, and frees it', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);

      await journal.pause(
        aPause(runId, [aWait('a', { until: null })], {
          ...{ startTime: LATER, stepsCount: 4, tags: ['one', 'two, with "comma"'] },
        }),
      );

      expect(await rowOf(runId)).toMatchObject({
        ...{ status: 'PAUSED', epoch: 2, lease_until: null, start_time: STARTED, paused_at: expect.any(Date) },
        ...{ finish_time: null, steps_count: 4, tags: ['one', 'two, with "comma"'] },
      });
      const pausedAt = (await rowOf(runId))?.['paused_at'] as Date;
      const due = new Date(pausedAt.getTime() + 30 * 24 * 60 * 60 * 1000);
      expect(await requestsOf(runId)).toMatchObject([
        { request_id: 'a', kind: 'timer', step_path: 'step_1', due, ends_run: true, ended_at: null },
      ]);
    });

    it('needs no waits of its own, no records and no claim', async () => {
      const runId = await accepted();

      expect(await journal.pause(aPause(runId, [], { epoch: 0 }))).toBe('paused');

      expect(await rowOf(runId)).toMatchObject({ status: 'PAUSED', epoch: 1, start_time: expect.any(Date) });
      expect(await segmentCount(runId)).toBe(0);
    });

    it('of many runs is few transactions, each run its own', async () => {
      const runIds = await Promise.all(Array.from({ length: 50 }, () => accepted()));
      const connect = jest.spyOn(pool, 'connect');

      const results = await Promise.all(
        runIds.map((runId, i) => journal.pause(aPause(runId, [aWait(`request-${i}`)], { epoch: i % 2 }))),
      );

      expect(results).toEqual(runIds.map((_, i) => (i % 2 === 0 ? 'paused' : 'claimLost')));
      expect(connect.mock.calls.length).toBeLessThanOrEqual(3);
      connect.mockRestore();
      expect(await requestsOf(runIds[0] as string)).toMatchObject([{ request_id: 'request-0' }]);
      expect(await requestsOf(runIds[1] as string)).toEqual([]);
    });

    it('keeps a segment that is written again, and loses nothing of a step that was tried again before it waited', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
      const opened = { requestId: 'a', request: { kind: 'approval' } as const };
      const links = record('links', { effects: { opens: [opened] } });
      await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [links] });
      await waits.answer(runId, 'a', true);
      const records = [record('step_1', { status: 'RUNNING' }), aPausedRecord('step_1', 'a', { kind: 'human' })];
      const asking = aWait('a', { kind: 'human', until: null, request: opened.request });

      expect(await journal.pause(aPause(runId, [asking], { seq: 1, records }))).toBe('resumed');
    });
  });

  describe('a pause that is being written', () => {
    const opened = { requestId: 'a', request: { kind: 'approval' } as const };
    const asking = aWait('a', { kind: 'human', until: null, request: opened.request });

    /** A journal of another process, which stops just before the run is PAUSED. */
    const stalled = () => {
      const before = stalledBefore(pool, 'release-paused');
      return { before, pausing: new PostgresRunJournal(before.pool, new InMemoryJobQueue()) };
    };

    it('is seen by the answer to a request that was open before', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
      const links = record('links', { effects: { opens: [opened] } });
      await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [links] });
      const { before, pausing } = stalled();

      const results = await inThisOrder(
        before,
        () => pausing.pause(aPause(runId, [asking], { seq: 1 })),
        () => waits.answer(runId, 'a', 'yes'),
      );

      expect(results).toEqual(['paused', 'answered']);
      expect((await journal.load(runId))?.status).toBe('RUNNING');
    });

    it('is seen by the answer to what another branch waits for', async () => {
      const runId = await accepted();
      const second = aWait('b', { ...asking, requestId: 'b', stepPath: 'step_2' });
      await journal.pause(aPause(runId, [asking, second], { epoch: 0 }));
      await waits.answer(runId, 'a', 1);
      const { before, pausing } = stalled();

      const results = await inThisOrder(
        before,
        () => pausing.pause(aPause(runId, [], { epoch: 1, seq: 1, records: [record('step_1')] })),
        () => waits.answer(runId, 'b', 2),
      );

      expect(results).toEqual(['paused', 'answered']);
      expect((await journal.load(runId))?.status).toBe('RUNNING');
    });

    it('is seen by the ending of a child that another branch waits for', async () => {
      const runId = await accepted();
      const child = aChildRun({ runId });
      const forChild = aWait('child', { kind: 'child', until: null, child, stepPath: 'step_2' });
      await journal.pause(aPause(runId, [asking, forChild], { epoch: 0 }));
      await waits.answer(runId, 'a', 1);
      await journal.finish(anEnding(child.id));
      const { before, pausing } = stalled();

      await inThisOrder(
        before,
        () => pausing.pause(aPause(runId, [], { epoch: 1, seq: 1, records: [record('step_1')] })),
        () => families.notifyParent(child.id),
      );

      expect((await journal.load(runId))?.status).toBe('RUNNING');
    });

    it('is left alone by what is due, until it is written', async () => {
      const runId = await accepted();
      const timer = aWait('timer', { stepPath: 'step_2' });
      await journal.pause(aPause(runId, [asking, timer], { epoch: 0 }));
      await waits.answer(runId, 'a', 1);
      const { before, pausing } = stalled();
      const paused = pausing.pause(aPause(runId, [], { epoch: 1, seq: 1, records: [record('step_1')] }));
      await before.reached;

      await waits.endDue(1_000);
      before.go();

      expect(await paused).toBe('paused');
      await waits.endDue(1_000);
      expect((await journal.load(runId))?.status).toBe('RUNNING');
    });

    it('is ended by who cancels the run meanwhile', async () => {
      const runId = await accepted();
      const { before, pausing } = stalled();

      await inThisOrder(
        before,
        () => pausing.pause(aPause(runId, [asking], { epoch: 0 })),
        () => cancel(runId),
      );

      expect((await journal.load(runId))?.status).toBe('STOPPED');
      expect(await waits.answer(runId, 'a', 1)).toBe('refused');
    });
  });

  describe('races, between processes,', () => {
    const inTurns = Array.from({ length: 25 }, (_, i) => i);
    const opened = { requestId: 'a', request: { kind: 'approval' } as const };
    const asking = aWait('a', { kind: 'human', until: null, request: opened.request });

    it('of a pause and the answer to its request: the answer is never lost', async () => {
      const results = await Promise.all(
        inTurns.map(async () => {
          const runId = await accepted();
          await journal.claim({ runId, epoch: 0 }, STARTED, LEASE);
          const links = record('links', { effects: { opens: [opened] } });
          await journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records: [links] });
          const [pausing, answering] = await Promise.all([
            other.pause(aPause(runId, [asking], { seq: 1 })),
            waits.answer(runId, 'a', 'yes'),
          ]);
          return { pausing, answering, run: await journal.load(runId) };
        }),
      );

      for (const { pausing, answering, run } of results) {
        expect(['paused', 'resumed']).toContain(pausing);
        expect(answering).toBe('answered');
        expect(run).toMatchObject({ status: 'RUNNING', epoch: 2, isLeased: false });
        expect(run?.waitEndings).toEqual(new Map([['a', { kind: 'human', answer: 'yes' }]]));
      }
    });

    it('of a pause and the cancelling of its run: it is STOPPED, and nothing waits', async () => {
      const results = await Promise.all(
        inTurns.map(async () => {
          const runId = await accepted();
          await Promise.all([other.pause(aPause(runId, [aWait('a')], { epoch: 0 })), cancel(runId)]);
          return runId;
        }),
      );

      await waits.endDue(1_000);

      for (const runId of results) {
        expect((await journal.load(runId))?.status).toBe('STOPPED');
        expect((await requestsOf(runId)).every(({ ended_at }) => ended_at !== null)).toBe(true);
      }
    });

    it('of a pause for one branch and the ending of a child that another waits for: it goes on', async () => {
      const results = await Promise.all(
        inTurns.map(async () => {
          const runId = await accepted();
          const child = aChildRun({ runId });
          const forChild = aWait('child', { kind: 'child', until: null, child, stepPath: 'step_2' });
          await journal.pause(aPause(runId, [asking, forChild], { epoch: 0 }));
          await waits.answer(runId, 'a', 1);
          const pause = { epoch: 1, seq: 1, records: [record('step_1')] };
          await Promise.all([
            other.pause(aPause(runId, [forChild], pause)),
            journal.finish(anEnding(child.id)).then(() => families.notifyParent(child.id)),
          ]);
          return journal.load(runId);
        }),
      );

      for (const run of results) {
        expect(run?.status).toBe('RUNNING');
        expect([...(run?.waitEndings.keys() ?? [])]).toEqual(['child']);
      }
    });
  });
});
