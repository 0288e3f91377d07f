import {
  BACKFILL_DAYS,
  RunRescuer,
  SchedulesDue,
  SystemClock,
  type IntakeGate,
  type Schedule,
  type TriggerPlan,
} from '@millrace/domain';
import { aFlow, aFlowVersion, codeStep, HELD, InMemoryJobQueue, modelledInstants } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { decodePayload } from '../postgres/stored-payload';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { PostgresUnfinishedRuns } from '../runs/postgres-unfinished-runs';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { aSecretBox } from '../testing/a-secret-box';
import { driveClockByHand, setClock } from '../testing/hand-driven-database-clock';
import { seedProject } from '../testing/seed-project';
import { stalledBefore } from '../testing/stalled-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { deleteOldScheduleDays } from './delete-old-schedule-days';
import { PostgresScheduledRuns } from './postgres-scheduled-runs';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOON = new Date('2026-06-01T12:00:00.000Z');
const at = (text: string): Date => new Date(`${text}Z`);
const minutesAfter = (moment: Date, minutes: number): Date => new Date(moment.getTime() + minutes * MINUTE_MS);
const every = (cron: string, timezone = 'UTC', jitterSeconds = 0): Schedule => ({ cron, timezone, jitterSeconds });

describe('PostgresScheduledRuns', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let flows: PostgresFlowRepository;
  let pool: Pool;
  let projectId: string;
  let queue: InMemoryJobQueue;
  let scheduled: PostgresScheduledRuns;

  const scheduledRuns = (on: Pool, gate?: IntakeGate) =>
    new PostgresScheduledRuns(on, new RunsInTransaction(queue, ENQUEUE_PATIENCE), gate);

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    await driveClockByHand(database.url, NOON);
    pool = openHotPool(database.url, 'schedules test');
    dataSource = await new DataSource(dataSourceOptions(database.url, 'schedules test')).initialize();
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    queue = new InMemoryJobQueue();
    scheduled = scheduledRuns(pool);
    await setClock(pool, NOON);
  });
  afterEach(() => pool.query('delete from trigger_state; delete from schedule_day; delete from flow_run'));

  const publish = (flowId: string, plan: TriggerPlan, flowVersionId = newId()) =>
    flows.change(flowId, 'any', ({ version, ...flow }) => ({
      flow: { ...flow, status: 'ENABLED' },
      version,
      isNewVersion: false,
      listening: { flowVersionId, plan },
    }));
  const disable = (flowId: string) =>
    flows.change(flowId, 'any', ({ version, ...flow }) => ({ flow, version, isNewVersion: false, listening: null }));
  const aScheduledFlow = async (schedule: Schedule, project = projectId): Promise<string> => {
    const flow = aFlow({ projectId: project, id: newId() });
    await flows.insert(flow, aFlowVersion([codeStep('step_1')], { id: newId(), flowId: flow.id, state: 'DRAFT' }));
    await publish(flow.id, { kind: 'SCHEDULE', schedule });
    return flow.id;
  };
  const stateOf = async (flowId: string) =>
    (await pool.query<Record<string, unknown>>('select * from trigger_state where flow_id = $1', [flowId])).rows[0];
  /** The instants of a flow that have a run, in the order in which their runs were made. */
  const firedOf = async (flowId: string): Promise<Date[]> => {
    const text = 'select payload from flow_run where flow_id = $1 order by id';
    const { rows } = await pool.query<{ payload: Buffer }>(text, [flowId]);
    const payloads = await Promise.all(rows.map(async ({ payload }) => (await decodePayload(payload)) as string));
    return payloads.map((payload) => new Date((JSON.parse(payload) as { scheduledFor: string }).scheduledFor));
  };
  const runsOf = async (flowId: string) =>
    (await pool.query<Record<string, unknown>>('select * from flow_run where flow_id = $1 order by id', [flowId])).rows;
  const passTo = async (moment: Date): Promise<number> => {
    await setClock(pool, moment);
    return scheduled.startDue(100);
  };

  it('starts a run at each instant, with the job behind webhooks', async () => {
    const flowId = await aScheduledFlow(every('*/5 * * * *'));

    expect(await passTo(minutesAfter(NOON, 4.9))).toBe(0);
    expect(await passTo(minutesAfter(NOON, 5))).toBe(1);
    expect(await passTo(minutesAfter(NOON, 10.1))).toBe(1);
    expect(await passTo(minutesAfter(NOON, 10.2))).toBe(0);

    expect(await firedOf(flowId)).toEqual([minutesAfter(NOON, 5), minutesAfter(NOON, 10)]);
    expect(await runsOf(flowId)).toEqual([
      expect.objectContaining({ trigger_type: 'SCHEDULE', triggered_by: 'schedule', status: 'RUNNING' }),
      expect.objectContaining({ project_id: projectId, environment: 'PRODUCTION' }),
    ]);
    expect(queue.waiting().map(({ priority }) => priority)).toEqual([5, 5]);
  });

  describe('over a day with a change of the clocks', () => {
    const DAYS: [string, string, Schedule[]][] = [
      [
        'a skipped hour in Berlin',
        '2026-03-28T18:00',
        [
          every('30 2 * * *', 'Europe/Berlin'),
          every('0,30 1-4 * * *', 'Europe/Berlin'),
          every('*/15 * * * *', 'Europe/Berlin'),
          every('10 */3 * * *', 'America/New_York'),
          every('59 23 * * 6', 'Asia/Kolkata', 30),
        ],
      ],
      [
        'a repeated half hour on Lord Howe',
        '2026-04-04T06:00',
        [
          every('45 1 * * *', 'Australia/Lord_Howe'),
          every('*/10 * * * *', 'Australia/Lord_Howe'),
          every('*/20 0-3 * * *', 'Australia/Lord_Howe'),
          every('0 0 * * *', 'UTC'),
        ],
      ],
      [
        'a repeated hour in Berlin',
        '2026-10-24T18:00',
        [
          every('30 2 * * *', 'Europe/Berlin'),
          every('*/20 1-4 * * *', 'Europe/Berlin'),
          every('0 * * * *', 'Europe/Berlin'),
        ],
      ],
    ];

    it.each(DAYS)(
      'fires exactly the right instants, though the queue is emptied: %s',
      async (_what, start, schedules) => {
        const from = at(start);
        await setClock(pool, from);
        const flowIds = await Promise.all(schedules.map((schedule) => aScheduledFlow(schedule)));

        for (let minute = 1; minute <= 24 * 60; minute++) {
          await passTo(minutesAfter(from, minute));
          if (minute === 9 * 60) queue.lose();
        }
        const rescuer = new RunRescuer(new PostgresUnfinishedRuns(pool), queue, new LaterClock(), newId);
        await rescuer.perform(HELD);

        const end = minutesAfter(from, 24 * 60);
        for (const [index, schedule] of schedules.entries())
          expect(await firedOf(flowIds[index] ?? '')).toEqual(
            modelledInstants(schedule, minutesAfter(from, 1), schedule.jitterSeconds > 0 ? end : minutesAfter(end, 1)),
          );
        const carried = queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId));
        const all = (await pool.query<{ id: string }>('select id from flow_run')).rows.map(({ id }) => id);
        expect(carried.sort()).toEqual(all.sort());
      },
    );
  });

  it('starts one run after a downtime, for the last instant, and goes on from there', async () => {
    const flowId = await aScheduledFlow(every('*/5 * * * *'));

    await passTo(minutesAfter(NOON, 3 * 24 * 60 + 7));
    await passTo(minutesAfter(NOON, 3 * 24 * 60 + 10));

    expect(await firedOf(flowId)).toEqual(
      [3 * 24 * 60 + 5, 3 * 24 * 60 + 10].map((after) => minutesAfter(NOON, after)),
    );
  });

  it('neither loses nor repeats an instant when the clock is set ten minutes back or forward', async () => {
    const daily = await aScheduledFlow(every('5 12 * * *'));
    const often = await aScheduledFlow(every('*/5 * * * *'));

    await passTo(minutesAfter(NOON, 5));
    for (const minutes of [-5, 0, 4, 5, 9]) await passTo(minutesAfter(NOON, minutes));
    await passTo(minutesAfter(NOON, 19));
    await passTo(minutesAfter(NOON, 20));

    expect(await firedOf(daily)).toEqual([minutesAfter(NOON, 5)]);
    expect(await firedOf(often)).toEqual([5, 15, 20].map((minutes) => minutesAfter(NOON, minutes)));
  });

  it('delays the start of a run by its jitter, and not its instant', async () => {
    const flowId = await aScheduledFlow(every('0 13 * * *', 'UTC', 600));
    const { due_at: startsAt, next_instant: instant } = (await stateOf(flowId)) as Record<string, Date>;

    expect(await passTo(new Date(startsAt!.getTime() - 1))).toBe(0);
    expect(await passTo(startsAt!)).toBe(1);

    expect(instant).toEqual(at('2026-06-01T13:00'));
    expect(startsAt!.getTime()).toBeLessThan(at('2026-06-01T13:10').getTime());
    expect(await firedOf(flowId)).toEqual([instant]);
  });

  describe('when the flow changes', () => {
    it('keeps the instant of an equal schedule, with the new version, and computes that of another', async () => {
      const flowId = await aScheduledFlow(every('0 13 * * *'));
      const before = await stateOf(flowId);
      await setClock(pool, at('2026-06-01T13:30'));

      const version = newId();
      await publish(flowId, { kind: 'SCHEDULE', schedule: every('0 13 * * *') }, version);
      expect(await stateOf(flowId)).toMatchObject({ due_at: before?.['due_at'], flow_version_id: version });
      await scheduled.startDue(100);
      await publish(flowId, { kind: 'SCHEDULE', schedule: every('0 18 * * *') });

      expect(await runsOf(flowId)).toEqual([expect.objectContaining({ flow_version_id: version })]);
      expect(await stateOf(flowId)).toMatchObject({
        due_at: at('2026-06-01T18:00'),
        next_instant: at('2026-06-01T18:00'),
      });
    });

    it('fires nothing while the flow is disabled, and starts from now when it is enabled', async () => {
      const flowId = await aScheduledFlow(every('*/5 * * * *'));

      await disable(flowId);
      expect(await passTo(minutesAfter(NOON, 30))).toBe(0);
      await publish(flowId, { kind: 'SCHEDULE', schedule: every('*/5 * * * *') });
      await passTo(minutesAfter(NOON, 34));
      await passTo(minutesAfter(NOON, 35));

      expect(await firedOf(flowId)).toEqual([minutesAfter(NOON, 35)]);
    });

    it.each([
      ['disabled', disable],
      ['published again', (flowId: string) => publish(flowId, { kind: 'SCHEDULE', schedule: every('*/5 * * * *') })],
    ])('leaves a flow alone that is %s after it was found to be due', async (_what, change) => {
      const flowId = await aScheduledFlow(every('*/5 * * * *'));
      const stalled = stalledBefore(pool, 'settle-schedules');
      await setClock(pool, minutesAfter(NOON, 5));

      const starting = scheduledRuns(stalled.pool).startDue(100);
      await stalled.reached;
      await change(flowId);
      stalled.go();

      expect(await starting).toBe(0);
      expect(await runsOf(flowId)).toEqual([]);
    });
  });

  it('starts no second run when two leaders find the same schedule, one of them frozen', async () => {
    const flowId = await aScheduledFlow(every('*/5 * * * *'));
    const stalled = stalledBefore(pool, 'settle-schedules');
    await setClock(pool, minutesAfter(NOON, 5));

    const frozen = scheduledRuns(stalled.pool).startDue(100);
    await stalled.reached;
    const other = await scheduled.startDue(100);
    await setClock(pool, minutesAfter(NOON, 10));
    stalled.go();

    expect([other, await frozen]).toEqual([1, 0]);
    expect(await firedOf(flowId)).toEqual([minutesAfter(NOON, 5)]);
  });

  it('shows on its flow that a schedule cannot be read, starts the others, and tries it again later', async () => {
    const broken = await aScheduledFlow(every('*/5 * * * *'));
    const planned = JSON.stringify({ kind: 'SCHEDULE', schedule: every('*/5 * * * *', 'Europe/Atlantis') });
    await pool.query('update trigger_state set plan = $2 where flow_id = $1', [broken, planned]);
    const sound = await aScheduledFlow(every('*/5 * * * *'));

    expect(await passTo(minutesAfter(NOON, 5))).toBe(2);
    expect(await passTo(minutesAfter(NOON, 5.1))).toBe(0);

    expect(await firedOf(sound)).toEqual([minutesAfter(NOON, 5)]);
    expect(await stateOf(broken)).toMatchObject({
      due_at: minutesAfter(NOON, 15),
      next_instant: minutesAfter(NOON, 5),
    });
    expect((await flows.get(broken, 'any')).triggerFailure).toEqual({
      message: expect.stringContaining('Europe/Atlantis'),
      since: minutesAfter(NOON, 5),
      failures: 1,
    });

    await pool.query(`update trigger_state set plan = replace(plan, 'Atlantis', 'Berlin') where flow_id = $1`, [
      broken,
    ]);
    expect(await passTo(minutesAfter(NOON, 15))).toBe(2);
    expect(await stateOf(broken)).toMatchObject({ failure: null, due_at: minutesAfter(NOON, 20) });
    expect(await firedOf(broken)).toEqual([minutesAfter(NOON, 15)]);
  });

  it('starts the runs of a page at once, those first that are due for the longest time', async () => {
    const late = await aScheduledFlow(every('1 13 * * *'));
    const early = await aScheduledFlow(every('0 13 * * *'));

    await setClock(pool, at('2026-06-01T14:00'));
    expect(await scheduled.startDue(1)).toBe(1);
    expect([(await runsOf(early)).length, (await runsOf(late)).length]).toEqual([1, 0]);
  });

  it('starts each run once when its transaction is cut between the mark of the instant and the run', async () => {
    const flowId = await aScheduledFlow(every('*/5 * * * *'));
    const stalled = stalledBefore(pool, 'insert-runs');
    await setClock(pool, minutesAfter(NOON, 5));

    const starting = scheduledRuns(stalled.pool).startDue(100);
    await stalled.reached;
    await pool.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where state = 'idle in transaction' and datname = current_database()`);
    stalled.go();
    await starting.catch(() => undefined);
    await scheduled.startDue(100);

    expect(await firedOf(flowId)).toEqual([minutesAfter(NOON, 5)]);
    expect(await runsOf(flowId)).toHaveLength(1);
  });

  it('starts more schedules of the same minute than a page holds in one turn of the duty', async () => {
    const flowIds = await Promise.all(Array.from({ length: 260 }, () => aScheduledFlow(every('*/5 * * * *'))));
    await setClock(pool, minutesAfter(NOON, 5));

    await new SchedulesDue(scheduled, new SystemClock()).perform(HELD);

    const { rows } = await pool.query<{ flow_id: string }>('select flow_id from flow_run');
    expect(rows.map(({ flow_id }) => flow_id).sort()).toEqual(flowIds.sort());
    expect(queue.waiting().flatMap(({ runs }) => runs)).toHaveLength(260);
  });

  it('keeps the instant of a project that has no room for runs, and then starts one run for all that passed', async () => {
    const full = new Set([projectId]);
    const refusal = (project: string) =>
      full.has(project) ? { of: 'project', reason: 'Too many runs of this project wait to begin' } : null;
    const gate = { lookFirst: async () => undefined, refusal } as unknown as IntakeGate;
    scheduled = scheduledRuns(pool, gate);
    const flowId = await aScheduledFlow(every('*/5 * * * *'));
    const other = await aScheduledFlow(every('*/5 * * * *'), await seedProject(dataSource));
    const failure = async () => (await flows.get(flowId, 'any')).triggerFailure;

    await passTo(minutesAfter(NOON, 5));
    expect(await passTo(minutesAfter(NOON, 5.4))).toBe(0);
    await passTo(minutesAfter(NOON, 12));

    expect([await firedOf(flowId), await firedOf(other)]).toEqual([[], [5, 10].map((n) => minutesAfter(NOON, n))]);
    const message = 'The schedule waits. Too many runs of this project wait to begin.';
    expect(await failure()).toEqual({ message, since: minutesAfter(NOON, 5), failures: 0 });
    full.clear();
    await passTo(minutesAfter(NOON, 12.5));
    await passTo(minutesAfter(NOON, 15));
    expect(await firedOf(flowId)).toEqual([10, 15].map((minutes) => minutesAfter(NOON, minutes)));
    expect(await failure()).toBeUndefined();
  });

  it('starts the run although the queue is away', async () => {
    const flowId = await aScheduledFlow(every('*/5 * * * *'));
    queue.fail();

    expect(await passTo(minutesAfter(NOON, 5))).toBe(1);
    expect(await runsOf(flowId)).toHaveLength(1);
  });

  describe('backfill', () => {
    const flowOf = async (flowId: string) => (await scheduled.find(flowId))!;

    it('finds the instants without a run, starts each once, and leaves them to the schedule no more', async () => {
      const flowId = await aScheduledFlow(every('*/5 * * * *'));
      await passTo(minutesAfter(NOON, 5));
      await passTo(minutesAfter(NOON, 22));
      const flow = await flowOf(flowId);

      const missing = await scheduled.missing(flow, minutesAfter(NOON, -5), minutesAfter(NOON, 22));
      expect(missing).toEqual([-5, 0, 10, 15].map((minutes) => minutesAfter(NOON, minutes)));
      expect(await scheduled.startAt(flow, missing)).toBe(4);
      expect(await scheduled.startAt(flow, missing)).toBe(0);

      expect(await scheduled.missing(flow, minutesAfter(NOON, -5), minutesAfter(NOON, 22))).toEqual([]);
      expect(await runsOf(flowId)).toHaveLength(6);
      expect(queue.waiting().at(-1)).toMatchObject({ priority: 5, leastLevel: 1, runs: { length: 4 } });
    });

    it('does not double the instant that is due now', async () => {
      const flowId = await aScheduledFlow(every('*/5 * * * *'));
      await setClock(pool, minutesAfter(NOON, 5));

      expect(await scheduled.startAt(await flowOf(flowId), [minutesAfter(NOON, 5)])).toBe(1);
      expect(await scheduled.startDue(100)).toBe(1);

      expect(await firedOf(flowId)).toEqual([minutesAfter(NOON, 5)]);
      expect(await stateOf(flowId)).toMatchObject({ due_at: minutesAfter(NOON, 10) });
    });

    it('gives two backfills at the same time one run for each instant together', async () => {
      const flow = await flowOf(await aScheduledFlow(every('*/5 * * * *')));
      const missing = await scheduled.missing(flow, new Date(NOON.getTime() - DAY_MS), NOON);

      const started = await Promise.all([scheduled.startAt(flow, missing), scheduled.startAt(flow, missing)]);

      expect(started[0] + started[1]).toBe(24 * 12 + 1);
      expect(await runsOf(flow.flowId)).toHaveLength(24 * 12 + 1);
    });

    it('finds the oldest thousand of a year of minutes', async () => {
      const flow = await flowOf(await aScheduledFlow(every('* * * * *')));
      const from = new Date(NOON.getTime() - BACKFILL_DAYS * DAY_MS);

      const missing = await scheduled.missing(flow, from, NOON);

      expect(missing).toHaveLength(1_000);
      expect([missing[0], missing[999]]).toEqual([from, minutesAfter(from, 999)]);
    });

    it('knows no schedule of a disabled flow, of another trigger, or of an unknown flow', async () => {
      const disabled = await aScheduledFlow(every('* * * * *'));
      await disable(disabled);
      const webhook = await aScheduledFlow(every('* * * * *'));
      await publish(webhook, { kind: 'WEBHOOK' });

      for (const flowId of [disabled, webhook, newId(), 'no-id']) expect(await scheduled.find(flowId)).toBeNull();
    });

    it('forgets old days only', async () => {
      const flow = await flowOf(await aScheduledFlow(every('* * * * *')));
      const [last, first] = [at('2026-05-31T23:59'), at('2026-06-01T00:00')];
      await scheduled.startAt(flow, [last, first]);

      expect(await deleteOldScheduleDays(pool, at('2026-06-01T03:00'))).toBe(1);
      expect(await scheduled.missing(flow, last, first)).toEqual([last]);
    });

    it('keeps one row for all instants of a day', async () => {
      const flowId = await aScheduledFlow(every('* * * * *'));
      await scheduled.startAt(await flowOf(flowId), [minutesAfter(NOON, -2), minutesAfter(NOON, -1)]);
      for (const minutes of [1, 2, 3]) await passTo(minutesAfter(NOON, minutes));
      await passTo(minutesAfter(NOON, 12 * 60));

      const text = `select day::text, length(replace(minutes::text, '0', '')) from schedule_day order by day`;
      const { rows } = await pool.query(text);
      expect(rows).toEqual([
        { day: '2026-06-01', length: 5 },
        { day: '2026-06-02', length: 1 },
      ]);
    });
  });
});

/** A clock for which every run is old enough to be rescued. */
class LaterClock extends SystemClock {
  override now(): Date {
    return minutesAfter(super.now(), 1);
  }
}
