import { OverdueRuns, SystemClock, type NewRun } from '@millrace/domain';
import {
  aNewRun,
  anEnding,
  anId,
  aPause,
  aWait,
  HandDrivenClock,
  HELD,
  InMemoryJobQueue,
  recordingRunEvents,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';
import { PostgresUnfinishedRuns } from './postgres-unfinished-runs';

const STARTED = new Date('2026-03-01T10:00:00.000Z');
const MINUTE_MS = 60_000;

describe('PostgresUnfinishedRuns', () => {
  let database: TestDatabase;
  let pool: Pool;
  let runs: PostgresUnfinishedRuns;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'unfinished test');
    runs = new PostgresUnfinishedRuns(pool);
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const accepted = async (more: Partial<NewRun> = {}): Promise<string> =>
    (await intake.accept(aNewRun({ id: newId(), ...more }))).runId;
  const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE_MS);
  const statusOf = async (runId: string) => (await journal.loadHead(runId))?.status;
  /** Claims the run, whose time has counted for so many minutes. */
  const begun = async (runId: string, minutesAgo: number, leaseSeconds = 600): Promise<void> => {
    await journal.claim({ runId, epoch: 0 }, inMinutes(-minutesAgo), leaseSeconds);
    const text = `update flow_run set time_counts_from = now() - $2 * interval '1 minute' where id = $1`;
    await pool.query(text, [runId, minutesAgo]);
  };
  const unfinishedIds = async (minutes: number, after: string | null = null, limit = 1000) =>
    (await runs.findUnfinished(minutes * MINUTE_MS, after, limit)).map(({ id }) => id);
  /** Reads until `wanted` is found. One call has a limit of time, so on a busy machine it finds only some runs. */
  const overdueIds = async (minutes: number, wanted: string): Promise<string[]> => {
    const found = new Set<string>();
    for (let calls = 0; calls < 50 && !found.has(wanted); calls++)
      for (const { id } of await runs.findOverdue(minutes * MINUTE_MS, 1000)) found.add(id);
    return [...found];
  };

  it('finds what has not ended and no live lease protects, oldest first, page by page', async () => {
    const fresh = await accepted();
    const leased = await accepted();
    const lapsed = await accepted();
    const ended = await accepted();
    await journal.claim({ runId: leased, epoch: 0 }, STARTED, 60);
    await journal.claim({ runId: lapsed, epoch: 0 }, STARTED, 0);
    await journal.finish(anEnding(ended));

    const found = await unfinishedIds(-1);

    expect(found.filter((id) => [fresh, leased, lapsed, ended].includes(id))).toEqual([fresh, lapsed]);
    expect(await unfinishedIds(-1, fresh, 1)).toEqual([lapsed]);
    expect(await unfinishedIds(1)).toEqual([]);
  });

  it('notes the job that carries a run now, unless the run has ended', async () => {
    const run = aNewRun({ id: newId() });
    const [first, second, ended] = [(await intake.accept(run)).runId, await accepted(), await accepted()];
    await journal.finish(anEnding(ended));
    const jobId = newId();

    await runs.assignJob([first, second, ended], jobId);
    await runs.assignJob([], newId());

    const carried = (await runs.findUnfinished(-MINUTE_MS, null, 1000)).filter((found) => found.jobId === jobId);
    expect(carried.map(({ id }) => id)).toEqual([first, second]);
    const { projectId, flowVersionId } = run;
    expect(carried[0]).toEqual({ id: first, projectId, flowVersionId, jobId, leaseUntil: null });
  });

  it('finds what began too long ago, whoever has it', async () => {
    const tenMinutesAgo = inMinutes(-10);
    const [overdue, young] = [await accepted({ id: anId(tenMinutesAgo) }), await accepted({ id: anId(tenMinutesAgo) })];
    await begun(overdue, 10);
    await begun(young, 1);

    expect(await overdueIds(5, overdue)).toEqual([overdue]);
  });

  it('does not count the time that a run was paused', async () => {
    const [began, paused] = [inMinutes(-20), inMinutes(-19)];
    const [waited, busy] = [await accepted({ id: anId(began) }), await accepted({ id: anId(began) })];
    for (const runId of [waited, busy]) await begun(runId, 20);
    await journal.pause(aPause(waited, [aWait('a')], { startTime: began }));
    await pool.query('update flow_run set paused_at = $2 where id = $1', [waited, paused]);
    await new PostgresRunWaits(pool, new InMemoryJobQueue()).endDue(10);

    const overdue = await overdueIds(10, busy);

    expect(overdue).toContain(busy);
    expect(overdue).not.toContain(waited);
  });

  it('does not count the time that a run waits for a worker after it was paused', async () => {
    const [began, paused] = [inMinutes(-20), inMinutes(-19)];
    const runId = await accepted({ id: anId(began) });
    await begun(runId, 20);
    const startTime = (await journal.load(runId))?.startTime;
    await journal.pause(aPause(runId, [aWait('a')], { startTime: began }));
    await new PostgresRunWaits(pool, new InMemoryJobQueue()).endDue(10);
    // The run seems to have waited in the queue since then.
    await pool.query('update flow_run set paused_at = $2 where id = $1', [runId, paused]);
    const overdue = async (minutes: number) => (await overdueIds(minutes, runId)).includes(runId);
    expect(await overdue(-1)).toBe(false);

    await journal.claim({ runId, epoch: 2 }, inMinutes(0), 600);

    expect(await overdue(2)).toBe(false);
    expect(await overdue(0)).toBe(true);
    expect((await journal.load(runId))?.startTime).toEqual(startTime);
  });

  it('notes many jobs in one statement', async () => {
    const [first, second, third] = [await accepted(), await accepted(), await accepted()];
    const jobs = [
      { runIds: [third, first], jobId: newId() },
      { runIds: [second], jobId: newId() },
      { runIds: [], jobId: newId() },
    ];
    const asked = jest.spyOn(pool, 'query');

    const noted = await runs.assignJobs(jobs);
    await runs.assignJobs([]);

    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
    expect(noted).toEqual(new Set([first, second, third]));
    const found = await runs.findUnfinished(-MINUTE_MS, null, 1000);
    const jobOf = (runId: string) => found.find(({ id }) => id === runId)?.jobId;
    expect([first, second, third].map(jobOf)).toEqual([jobs[0]?.jobId, jobs[1]?.jobId, jobs[0]?.jobId]);
  });

  it('goes round a row that another transaction has locked', async () => {
    const began = inMinutes(-90);
    const [locked, free] = [await accepted({ id: anId(began) }), await accepted({ id: anId(began) })];
    for (const runId of [locked, free]) await begun(runId, 90);
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from flow_run where id = $1 for update', [locked]);
    const { events } = recordingRunEvents();
    const duty = new OverdueRuns(runs, journal, events, new SystemClock(), 60 * 60);
    const jobId = newId();

    await duty.perform(HELD);
    const noted = await runs.assignJobs([{ runIds: [locked, await accepted()], jobId }]);
    await holder.query('rollback');
    holder.release();

    expect(await statusOf(free)).toBe('TIMEOUT');
    expect(noted.size).toBe(1);
    expect(await statusOf(locked)).toBe('RUNNING');
    await duty.perform(HELD);
    expect(await statusOf(locked)).toBe('TIMEOUT');
  });

  it.each([
    ['ahead', 60],
    ['behind', -60],
  ])('ends no run early and rescues each in time, with a leader and workers whose clock is %s', async (_, minutes) => {
    const clock = new HandDrivenClock(inMinutes(minutes));
    const [young, overdue, lost] = [await accepted(), await accepted({ id: anId(inMinutes(-30)) }), await accepted()];
    await journal.claim({ runId: young, epoch: 0 }, clock.now(), 600);
    await begun(overdue, 20);
    await pool.query(`update flow_run set updated = now() - interval '10 seconds' where id = $1`, [lost]);
    const duty = new OverdueRuns(runs, journal, recordingRunEvents().events, clock, 10 * 60);

    await duty.perform(HELD);

    expect([await statusOf(young), await statusOf(overdue)]).toEqual(['RUNNING', 'TIMEOUT']);
    expect((await journal.load(young))?.timeUsedMs).toBeLessThan(5 * MINUTE_MS);
    expect(await unfinishedIds(0)).toContain(lost);
    expect(await unfinishedIds(5)).not.toContain(lost);
  });

  it('finds runs whose ids a clock that is ahead has made', async () => {
    const [lost, overdue] = [await accepted({ id: anId(inMinutes(60)) }), await accepted({ id: anId(inMinutes(60)) })];
    await begun(overdue, 90, 0);

    expect(await unfinishedIds(1)).not.toContain(lost);
    expect(await unfinishedIds(-1)).toEqual(expect.arrayContaining([lost, overdue]));
    expect(await overdueIds(80, overdue)).toContain(overdue);
    expect(await overdueIds(80, overdue)).not.toContain(lost);
  });

  it('finds a lost run and an overdue one behind many entries that a held snapshot keeps in the index', async () => {
    const many = Array.from({ length: 5_000 }, () => anId(inMinutes(-60)));
    const holder = await pool.connect();
    await holder.query('begin isolation level repeatable read');
    await holder.query('select from flow_run limit 1');
    await pool.query(
      `insert into flow_run (id, project_id, flow_id, flow_version_id, environment, triggered_by, trigger_type, job_id, updated)
       select id, id, id, id, 'PRODUCTION', 'webhook', 'WEBHOOK', id, now() from unnest($1::uuid[]) id`,
      [many],
    );
    await pool.query(`update flow_run set status = 'SUCCEEDED', finish_time = now() where id = any($1)`, [many]);
    const [lost, overdue] = [
      await accepted({ id: anId(inMinutes(-50)) }),
      await accepted({ id: anId(inMinutes(-49)) }),
    ];
    await begun(overdue, 49);

    const found = new Set<string>();
    for (let calls = 0; calls < 50 && found.size < 2; calls++) {
      for (const { id } of await runs.findUnfinished(40 * MINUTE_MS, null, 1_000)) if (id === lost) found.add(id);
      for (const { id } of await runs.findOverdue(45 * MINUTE_MS, 1_000)) if (id === overdue) found.add(id);
    }
    await holder.query('rollback');
    holder.release();

    expect(found).toEqual(new Set([lost, overdue]));
  });
});
