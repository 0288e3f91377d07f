import {
  withFingerprint,
  EntityNotFoundError,
  errorFingerprint,
  finishRun,
  firstIdAt,
  InvalidRequestError,
  type FlowRun,
  type FlowRunFilter,
  type FlowRunStatus,
  type HumanRequest,
  type NewRun,
  type Page,
  type RecordChoice,
  type RunPause,
} from '@millrace/domain';

import {
  aFlow,
  aFlowVersion,
  aNewRun,
  anEnding,
  anId,
  aPausedRecord,
  aWait,
  InMemoryJobQueue,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresBulkRuns } from './postgres-bulk-runs';
import { PostgresFlowRunRepository } from './postgres-flow-run.repository';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';

const STARTED = new Date('2026-03-01T10:00:00.000Z');
const FINISHED = new Date('2026-03-01T10:00:01.500Z');

/** Returns a new id with the time of creation `time`. */
const runAt = (time: number): string => firstIdAt(new Date(time)).slice(0, 14) + anId().slice(14);

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
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    runs = new PostgresFlowRunRepository(dataSource, pool);
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
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

  const aPause = (runId: string, tags: readonly string[]): RunPause => ({
    runId,
    epoch: 1,
    seq: 0,
    records: [],
    startTime: STARTED,
    stepsCount: 1,
    tags,
    waits: [{ requestId: 'r', stepPath: 'wait', kind: 'timer', until: FINISHED, request: null, child: null }],
  });

  async function pause(...runIds: string[]): Promise<void> {
    await dataSource.query(`update flow_run set status = 'PAUSED' where id = any($1)`, [runIds]);
  }

  interface SomeWait {
    kind: 'timer' | 'human' | 'child';
    since: number;
    until?: number;
    endsRun?: boolean;
    isEnded?: boolean;
    isLink?: boolean;
    /** What a person is asked. */
    request?: HumanRequest;
  }

  async function wait(runId: string, requestId: string, some: SomeWait): Promise<void> {
    const { kind, since, until, endsRun = false, isEnded = false, isLink = false } = some;
    await dataSource.query(
      `insert into run_request (run_id, request_id, project_id, kind, step_path, created, due, ends_run, ended_at, request)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        runId,
        requestId,
        ours.projectId,
        kind,
        isLink ? null : 'wait',
        new Date(since),
        until === undefined ? null : new Date(until),
        endsRun,
        isEnded ? new Date() : null,
        some.request && JSON.stringify(some.request),
      ],
    );
  }

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

    it('counts the time of creation from its first moment, up to but without its last', async () => {
      const [first, second, third] = [runAt(1_000), runAt(2_000), runAt(3_000)];
      for (const id of [first, second, third]) await accepted({ id });
      const filter = { ...ours, createdAfter: new Date(2_000), createdBefore: new Date(3_000) };

      expect(idsOf(await runs.list(filter, { limit: 10, cursor: null }))).toEqual([second]);
      expect(await runs.count({ ...ours, createdAfter: new Date(-1), createdBefore: new Date(8.64e15) })).toBe(3);
    });

    it.each([
      ['status', { status: ['FAILED'] }],
      ['tags', { tags: ['a'] }],
      ['failed step', { failedStepName: 'a' }],
      ['fingerprint', { fingerprint: 'a' }],
      ['kind of wait', { waitingOn: 'human' }],
      ['first moment', { createdAfter: new Date(1) }],
      ['last moment', { createdBefore: new Date(1) }],
      ['named runs', { flowRunIds: [anId()] }],
      ['parent', { parentRunId: anId() }],
      ['retried run', { retryOfRunId: anId() }],
      ['excluded runs', { excludeFlowRunIds: [anId()] }],
      ['environment', { environment: 'TESTING' }],
      ['archived runs', { includeArchived: true }],
    ] satisfies [string, Partial<FlowRunFilter>][])('refuses a cursor of a list with another %s', async (_, other) => {
      for (let i = 0; i < 3; i++) await accepted();
      const { next } = await runs.list(ours, { limit: 1, cursor: null });

      await expect(runs.list({ ...ours, ...other }, { limit: 1, cursor: next })).rejects.toBeInstanceOf(
        InvalidRequestError,
      );
    });

    it('takes a cursor for the same filters in another order', async () => {
      for (let i = 0; i < 3; i++) await accepted();
      const { next } = await runs.list({ ...ours, status: ['RUNNING', 'FAILED'] }, { limit: 1, cursor: null });

      const page = await runs.list({ ...ours, status: ['FAILED', 'RUNNING'] }, { limit: 5, cursor: next });

      expect(page.data).toHaveLength(2);
    });

    it('finds runs by what no text in PostgreSQL can be, and by long texts', async () => {
      const [long, other] = ['t'.repeat(5_000), `${'t'.repeat(4_999)}u`];
      const failedStep = { name: long, displayName: '', message: '' };
      const [tagged, failed] = [await accepted(), await accepted()];
      await journal.finish(anEnding(failed, { status: 'FAILED', failedStep }));
      await journal.finish(anEnding(tagged, { tags: [long, '\0'] }));
      const listed = async (filter: Partial<FlowRunFilter>) =>
        idsOf(await runs.list({ ...ours, ...filter }, { limit: 10, cursor: null }));

      expect(await listed({ tags: [long] })).toEqual([tagged]);
      expect(await listed({ tags: ['\0'] })).toEqual([tagged]);
      expect(await listed({ tags: [other] })).toEqual([]);
      expect(await listed({ failedStepName: long })).toEqual([failed]);
      expect(await listed({ failedStepName: other })).toEqual([]);
    });

    it('finds failed runs by the fingerprint of their message, as the groups of failures name it', async () => {
      const failed = async (message: string) => {
        const runId = await accepted();
        const failedStep = withFingerprint({ name: 'pay', displayName: 'Pay', message });
        await journal.finish(anEnding(runId, { status: 'FAILED', failedStep }));
        return runId;
      };
      const [first, other, second] = [
        await failed('No card 7.'),
        await failed('No money.'),
        await failed('No card 8.'),
      ];
      const groups = await runs.failures(ours, 10);
      const listed = async (fingerprint: string | undefined) =>
        idsOf(await runs.list({ ...ours, fingerprint, failedStepName: 'pay' }, { limit: 10, cursor: null })).sort();

      expect(groups.map(({ count }) => count)).toEqual([2, 1]);
      expect(await listed(groups[0]?.fingerprint)).toEqual([first, second].sort());
      expect(await listed(groups[1]?.fingerprint)).toEqual([other]);
      expect(await listed('none')).toEqual([]);
      expect(await runs.count({ ...ours, fingerprint: '\0' })).toBe(0);
    });

    it('finds paused runs by what they wait for now, however many waits they have', async () => {
      const [human, timer, both, answered, links] = [
        await accepted(),
        await accepted(),
        await accepted(),
        await accepted(),
        await accepted(),
      ];
      await pause(human, timer, both, answered, links);
      await wait(human, 'a', { kind: 'human', since: 1 });
      await wait(timer, 'a', { kind: 'timer', since: 1, until: 2 });
      await wait(both, 'a', { kind: 'timer', since: 1, until: 2 });
      await wait(both, 'b', { kind: 'human', since: 2 });
      await wait(answered, 'a', { kind: 'human', since: 1, isEnded: true });
      await wait(links, 'a', { kind: 'human', since: 1, isLink: true });
      const listed = async (filter: Partial<FlowRunFilter>) =>
        idsOf(await runs.list({ ...ours, ...filter }, { limit: 10, cursor: null })).sort();

      expect(await listed({ waitingOn: 'human' })).toEqual([human, both].sort());
      expect(await listed({ waitingOn: 'timer' })).toEqual([timer, both].sort());
      expect(await listed({ waitingOn: 'child' })).toEqual([]);
      expect(await listed({ waitingOn: 'human', status: ['RUNNING'] })).toEqual([]);
    });

    it('finds runs by their tags as soon as they are paused, and when they have ended', async () => {
      const [runId, other] = [await accepted(), await accepted()];
      const found = async (tags: string[], status?: FlowRunStatus[]) =>
        idsOf(await runs.list({ ...ours, tags, ...(status && { status }) }, { limit: 10, cursor: null }));

      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      await journal.pause(aPause(runId, ['vip']));
      expect(await found(['vip'])).toEqual([runId]);
      expect(await found(['vip'], ['SUCCEEDED'])).toEqual([]);

      await dataSource.query(`update flow_run set status = 'RUNNING' where id = $1`, [runId]);
      expect(await found(['vip'], ['RUNNING'])).toEqual([runId]);

      await journal.finish(anEnding(runId, { epoch: 2, seq: 1, tags: ['vip', 'late'] }));
      await journal.finish(anEnding(other, { tags: ['late'] }));
      expect(await found(['vip', 'late'], ['SUCCEEDED'])).toEqual([runId]);
      expect(await found(['late'])).toEqual([other, runId]);
      expect(await found(['vip'], ['RUNNING', 'PAUSED'])).toEqual([]);
    });

    it('says what each run waits for: the wait that began first', async () => {
      const [waiting, children, going] = [await accepted(), await accepted(), await accepted()];
      await pause(waiting, children);
      await wait(waiting, 'late', { kind: 'timer', since: 3, until: 9 });
      const asked = { kind: 'approval', message: 'Is 40 too dear?', stepDisplayName: 'Ask Ada' } as const;
      await wait(waiting, 'first', { kind: 'human', since: 2, until: 8, request: asked });
      await wait(waiting, 'ended', { kind: 'timer', since: 1, until: 2, isEnded: true });
      await wait(waiting, 'link', { kind: 'human', since: 1, isLink: true });
      await wait(children, 'child', { kind: 'child', since: 4, until: 90, endsRun: true });
      await journal.claim({ runId: going, epoch: 0 }, STARTED, 15);

      const { data } = await runs.list(ours, { limit: 10, cursor: null });
      const waitingOn = new Map(data.map((run) => [run.id, run.waitingOn]));

      expect(waitingOn.get(waiting)).toEqual({
        kind: 'human',
        since: new Date(2),
        until: new Date(8),
        requestId: 'first',
        request: { ...asked, stepPath: 'wait' },
      });
      expect(waitingOn.get(children)).toEqual({ kind: 'child', since: new Date(4) });
      expect(waitingOn.get(going)).toEqual({ kind: 'worker', since: STARTED });
      expect((await runs.get(waiting, 'any')).waitingOn).toEqual(waitingOn.get(waiting));
    });

    it('says that a run waits for a worker since it was woken, until one claims it', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      await journal.pause(aPause(runId, []));
      const [woken] = await dataSource.query<{ updated: Date }[][]>(
        `update flow_run set status = 'RUNNING', updated = now() where id = $1 returning updated`,
        [runId],
      );
      const since = woken?.[0]?.updated;

      const { data } = await runs.list(ours, { limit: 10, cursor: null });
      expect(data.map(({ waitingOn }) => waitingOn)).toEqual([{ kind: 'worker', since }]);
      expect((await runs.get(runId, 'any')).waitingOn).toEqual({ kind: 'worker', since });

      await journal.claim({ runId, epoch: 2 }, new Date(), 15);
      expect((await runs.get(runId, 'any')).waitingOn).toEqual({ kind: 'worker', since: STARTED });
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

  describe('count', () => {
    it('counts what the list shows, in all and by status', async () => {
      const [failed, archived] = [await accepted(), await accepted(), await accepted()];
      await journal.finish(anEnding(failed, { status: 'FAILED' }));
      await dataSource.query(`update flow_run set archived_at = now() where id = $1`, [archived]);

      expect(await runs.count(ours)).toBe(2);
      expect(await runs.count({ ...ours, includeArchived: true, status: ['RUNNING'] })).toBe(2);
      expect(await runs.count({ ...ours, projectId: 'x' })).toBe(0);
      expect(await runs.countByStatus(ours)).toEqual({
        RUNNING: 1,
        SUCCEEDED: 0,
        FAILED: 1,
        PAUSED: 0,
        QUOTA_EXCEEDED: 0,
        INTERNAL_ERROR: 0,
        TIMEOUT: 0,
        STOPPED: 0,
      });
    });
  });

  describe('failures', () => {
    const failedAt = async (time: number, name: string, message: string, more: Partial<NewRun> = {}) => {
      const runId = await accepted({ id: runAt(time), ...more });
      const step = { name, displayName: `Step ${name}`, message };
      const times = { startTime: STARTED, finishTime: FINISHED, timeoutSeconds: 600 };
      const finish = finishRun({ kind: 'failed', step, reason: null, stepsCount: 1, tags: [] }, times);
      await journal.finish({ ...anEnding(runId), ...finish });
      return runId;
    };

    it('are those of the same flow, step and kind of message, the most frequent first', async () => {
      await failedAt(1_000, 'a', 'Order 1 is unknown.');
      const last = await failedAt(3_000, 'a', 'Order 33 is unknown.');
      await failedAt(2_000, 'a', 'Order 2 is unknown.');
      await failedAt(4_000, 'b', 'Order 4 is unknown.');
      await failedAt(5_000, 'a', 'No order.');
      const otherFlow = await failedAt(6_000, 'a', 'Order 5 is unknown.', { flowId: anId() });
      await accepted();

      const groups = await runs.failures({ projectId: ours.projectId }, 10);

      expect(groups.map(({ count, stepName, message }) => [count, stepName, message])).toEqual([
        [3, 'a', 'Order 33 is unknown.'],
        [1, 'a', 'Order 5 is unknown.'],
        [1, 'a', 'No order.'],
        [1, 'b', 'Order 4 is unknown.'],
      ]);
      expect(groups[0]).toEqual({
        flowId: ours.flowId,
        flowDisplayName: 'Orders',
        stepName: 'a',
        stepDisplayName: 'Step a',
        fingerprint: errorFingerprint('Order 8 is unknown.'),
        message: 'Order 33 is unknown.',
        count: 3,
        firstSeen: new Date(1_000),
        lastSeen: new Date(3_000),
        lastRunId: last,
      });
      expect(groups[1]?.lastRunId).toBe(otherFlow);
      expect((await runs.get(last, 'any')).failedStep).toEqual({
        name: 'a',
        displayName: 'Step a',
        message: 'Order 33 is unknown.',
      });
    });

    it('keep to the filter and the limit', async () => {
      const first = await failedAt(1_000, 'a', 'A');
      await failedAt(2_000, 'b', 'B');
      await failedAt(3_000, 'c', 'C', { flowId: anId() });
      const { projectId } = ours;
      const names = async (filter: Partial<FlowRunFilter>, limit = 10) =>
        (await runs.failures({ projectId, ...filter }, limit)).map(({ stepName }) => stepName);

      expect(await names({}, 2)).toEqual(['c', 'b']);
      expect(await names({ flowId: ours.flowId })).toEqual(['b', 'a']);
      expect(await names({ createdAfter: new Date(2_000), createdBefore: new Date(3_000) })).toEqual(['b']);
      expect(await names({ status: ['TIMEOUT'] })).toEqual([]);
      await dataSource.query('update flow_run set archived_at = now() where id = $1', [first]);
      expect(await names({})).toEqual(['c', 'b']);
      expect(await names({ includeArchived: true })).toEqual(['c', 'b', 'a']);
    });

    it('of runs that failed without a step, or before there were fingerprints, are one group', async () => {
      for (const failedStep of [null, null, { name: 'a', displayName: 'A', message: 'x' }]) {
        const ending = { status: 'FAILED', failedStep, statusReason: 'A child failed.' } as const;
        await journal.finish(anEnding(await accepted(), ending));
      }

      expect(await runs.failures(ours, 10)).toMatchObject([
        { count: 2, stepName: '', stepDisplayName: '', fingerprint: '', message: 'A child failed.' },
        { count: 1, stepName: 'a', stepDisplayName: 'A', fingerprint: '', message: 'x' },
      ]);
    });
  });

  describe('getRecorded', () => {
    it('has what another run can be made of', async () => {
      const runId = await accepted({ payload: '{"body":{"n":1}}', testStep: 'a', triggerType: 'MANUAL' });
      const record = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 2 } as const;
      await journal.finish(anEnding(runId, { records: [{ ...record, output: '"A"' }] }));

      expect(await runs.getParent(runId, [ours.projectId])).toMatchObject({ run: { id: runId }, depth: 0 });
      expect(await runs.getRecorded(runId, [ours.projectId])).toEqual({
        run: await runs.get(runId, 'any'),
        testStep: 'a',
        triggerType: 'MANUAL',
        depth: 0,
        data: { payload: '{"body":{"n":1}}', recorded: [{ ...record, output: 'A' }] },
      });
    });

    it('has no data when it was purged', async () => {
      const runId = await accepted();
      await dataSource.query('update flow_run set payload = null where id = $1', [runId]);

      expect(await runs.getRecorded(runId, 'any')).toMatchObject({ testStep: null, data: null });
    });

    it('does not know a run of another project', async () => {
      const runId = await accepted();

      await expect(runs.getRecorded(runId, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(runs.get(runId, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
    });
  });

  describe('getRecords', () => {
    const record = { type: 'CODE', status: 'SUCCEEDED', duration: 2 } as const;
    const chosenOf = async (runId: string, ...asked: [choose: RecordChoice, path?: string]) =>
      (await runs.getRecords(runId, [ours.projectId], ...asked)).records?.map(({ path, output }) => [path, output]);

    it('keeps what is chosen of each record, and reads no segment without the step that is asked for', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      const segment = (seq: number, ...paths: string[]) => ({
        ...{ stepsCount: 1, runId, epoch: 1, seq },
        records: paths.map((path) => ({ ...record, path, output: `"${path}"` })),
      });
      await journal.append(segment(0, 'a'));
      await journal.append(segment(1, 'each[0].a', 'each'));
      await journal.append(segment(2, 'each[1].a'));

      expect(await chosenOf(runId, (each) => each)).toHaveLength(4);
      expect(await chosenOf(runId, (each) => (each.path === 'a' ? each : null), 'a')).toEqual([['a', 'a']]);
      expect(await chosenOf(runId, (each) => each, 'each')).toEqual([
        ['each[0].a', 'each[0].a'],
        ['each', 'each'],
        ['each[1].a', 'each[1].a'],
      ]);
      expect(await chosenOf(runId, (each) => each, 'each[1].a')).toEqual([['each[1].a', 'each[1].a']]);
    });

    it('says what the trigger is, and has the output of the trigger until it is purged', async () => {
      const runId = await accepted({ payload: '{"n":1}' });
      const read = () => runs.getRecords(runId, 'any', (each) => each);

      expect(await read()).toMatchObject({
        trigger: { name: 'trigger', type: 'WEBHOOK' },
        records: [],
        isPurged: false,
      });
      expect(await runs.getPayload(runId)).toBe('{"n":1}');
      await dataSource.query('update flow_run set payload = null where id = $1', [runId]);
      expect(await read()).toMatchObject({ isPurged: true });
      expect(await runs.getPayload(runId)).toBeNull();
    });

    it('has null for records that cannot be read, and does not know a run of another project', async () => {
      const runId = await accepted();
      await journal.finish(anEnding(runId, { records: [{ ...record, path: 'a' }] }));
      await dataSource.query(`update run_segment set records = '\\x0205' where run_id = $1`, [runId]);

      expect(await runs.getRecords(runId, 'any', (each) => each)).toMatchObject({ records: null });
      const asked = runs.getRecords(runId, [anId()], (each) => each);
      await expect(asked).rejects.toBeInstanceOf(EntityNotFoundError);
    });
  });

  describe('getDetail', () => {
    it('has no steps and no log before a worker began', async () => {
      const detail = await runs.getDetail(await accepted(), [ours.projectId]);

      expect(detail.logsFileId).toBeNull();
      expect(detail).not.toHaveProperty('steps');
    });

    it('shows a step that was waiting as stopped once its run was cancelled', async () => {
      const runId = await accepted();
      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      await journal.pause({ ...aPause(runId, []), records: [aPausedRecord('step_1', 'a')], waits: [aWait('a')] });
      expect((await runs.getDetail(runId, 'any')).steps?.['step_1']).toMatchObject({ status: 'PAUSED' });

      await new PostgresBulkRuns(dataSource, pool).cancel([runId]);

      const cancelled = await runs.getDetail(runId, 'any');
      expect(cancelled).toMatchObject({ status: 'STOPPED', steps: { step_1: { status: 'STOPPED' } } });
    });

    it('has the trigger and every step, loops nested, once the run has ended', async () => {
      const runId = await accepted({ payload: '{"body":{"n":1}}' });
      await journal.claim({ runId, epoch: 0 }, STARTED, 15);
      await journal.append({
        stepsCount: 1,
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

    it('leaves out steps that are larger than asked for, and says how large they are', async () => {
      const large = JSON.stringify('x'.repeat(10_000));
      const inPayload = await accepted({ payload: large });
      await journal.finish(anEnding(inPayload));
      const inSteps = await accepted({ payload: '{}' });
      const record = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 2 } as const;
      await journal.finish(anEnding(inSteps, { records: [{ ...record, output: large }] }));

      for (const runId of [inPayload, inSteps]) {
        const { stepsBytes = 0, ...detail } = await runs.getDetail(runId, 'any', 10_000);
        expect(detail).not.toHaveProperty('steps');
        expect(detail).toMatchObject({ logsFileId: runId });
        expect(stepsBytes).toBeGreaterThan(10_000);
        expect(await runs.getDetail(runId, 'any', stepsBytes)).toHaveProperty('steps');
      }
    });

    it('has no steps when their data was purged', async () => {
      const runId = await accepted();
      await journal.finish(anEnding(runId));
      await dataSource.query('update flow_run set payload = null where id = $1', [runId]);

      const detail = await runs.getDetail(runId, 'any');

      expect(detail).toMatchObject({ status: 'SUCCEEDED', logsFileId: null });
      expect(detail).not.toHaveProperty('steps');
    });

    it.each<[what: string, damage: string, data: object]>([
      [
        'what it did',
        `update run_segment set records = '\\x0205' where run_id = $1`,
        { payload: '{"body":{}}', recorded: null },
      ],
      [
        'its payload',
        `update flow_run set payload = '\\xff' where id = $1`,
        { payload: null, recorded: [{ path: 'a' }] },
      ],
    ])('says of a run that %s cannot be read, and the list shows it as ever', async (_what, damage, data) => {
      const runId = await accepted();
      const record = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 2 } as const;
      await journal.finish(anEnding(runId, { records: [record] }));
      await dataSource.query(damage, [runId]);

      const detail = await runs.getDetail(runId, 'any');

      expect(detail).toMatchObject({
        status: 'SUCCEEDED',
        statusReason: null,
        stepsUnreadable: 'The step data of the run cannot be read: it is damaged, or a later version wrote it.',
        logsFileId: runId,
      });
      expect(detail).not.toHaveProperty('steps');
      expect((await runs.getRecorded(runId, 'any')).data).toMatchObject(data);
      expect((await runs.list(ours, { limit: 10, cursor: null })).data).toMatchObject([{ id: runId }]);
    });

    it('does not know a run that is unknown, malformed or of another project', async () => {
      const runId = await accepted();

      await expect(runs.getDetail(anId(), 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(runs.getDetail('x', 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      const ofDeletedProject = await accepted({ projectId: anId() });
      await expect(runs.getDetail(ofDeletedProject, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(runs.getDetail(runId, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
    });
  });
});
