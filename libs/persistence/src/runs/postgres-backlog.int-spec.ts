import { createdAt, firstIdAt, type BacklogPage, type NewRun } from '@millrace/domain';
import { aNewRun, anEnding, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresBacklog } from './postgres-backlog';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';

describe('PostgresBacklog', () => {
  let database: TestDatabase;
  let pool: Pool;
  let backlog: PostgresBacklog;
  let intake: PostgresRunIntake;
  let journal: PostgresRunJournal;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'backlog test');
    backlog = new PostgresBacklog(pool);
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const accepted = async (more: Partial<NewRun> = {}): Promise<string> =>
    (await intake.accept(aNewRun({ id: newId(), ...more }))).runId;

  it('counts what has not begun by project, with its size and its oldest, and leaves out what has', async () => {
    const [flood, quiet] = [anId(), anId()];
    const begun = await accepted({ projectId: flood });
    const ended = await accepted({ projectId: flood });
    const oldest = await accepted({ projectId: flood, payload: '12345' });
    for (const projectId of [flood, quiet, flood]) await accepted({ projectId, payload: '12345' });
    await journal.claim({ runId: begun, epoch: 0 }, new Date(), 60);
    await journal.finish(anEnding(ended));

    const page = await backlog.countPage(null, 100);

    expect(page).toEqual<BacklogPage>({
      bytes: 4 * 6, // each payload has one more byte for its format
      oldest: createdAt(oldest),
      oldestAccepted: createdAt(oldest),
      runsByProject: new Map([
        [flood, 3],
        [quiet, 1],
      ]),
      heldByProject: new Map(),
      nextAfterId: null,
    });
  });

  it('counts runs that control holds apart, and one that it has let begin as waiting since its turn', async () => {
    const [project, flowId] = [anId(), anId()];
    const from = firstIdAt(new Date());
    const [waiting, gathering, admitted] = [await accepted({ projectId: project }), await accepted(), await accepted()];
    const turn = new Date(Date.now() + 60_000);
    const HOLD = `insert into flow_control_run (run_id, flow_id, state, epoch, demand, since) values ($1, $2, $3, 0, '{}', $4)`;
    await pool.query(HOLD, [waiting, flowId, 'waiting', turn]);
    await pool.query(HOLD, [gathering, flowId, 'gathering', turn]);
    await pool.query(HOLD, [admitted, flowId, 'admitted', turn]);

    const page = await backlog.countPage(from, 100);

    expect(page).toMatchObject({ oldest: turn, oldestAccepted: createdAt(waiting), nextAfterId: null });
    expect([...page.runsByProject.values()]).toEqual([1]);
    expect(page.heldByProject.get(project)).toBe(1);
    expect([...page.heldByProject.values()].reduce((a, b) => a + b)).toBe(2);
  });

  it('counts in pages, from where the one before ended', async () => {
    const projectId = anId();
    const from = firstIdAt(new Date());
    for (let n = 0; n < 5; n++) await accepted({ projectId });
    const counts: number[] = [];

    for (let afterId: string | null = from; afterId !== null;) {
      const page: BacklogPage = await backlog.countPage(afterId, 2);
      counts.push(page.runsByProject.get(projectId) ?? 0);
      afterId = page.nextAfterId;
    }

    expect(counts).toEqual([2, 2, 1]);
  });

  it('gives back what was published last', async () => {
    expect(await backlog.read()).toBeNull();
    const reading = {
      measuredAt: new Date('2026-03-01T10:00:00.000Z'),
      runs: 1_000_000,
      held: 70_000,
      bytes: 5_000_000_000,
      oldest: new Date('2026-03-01T09:00:00.000Z'),
      oldestAccepted: new Date('2026-02-01T09:00:00.000Z'),
      projects: new Map([[anId(), { runs: 200_000, held: 7, level: 13 }]]),
    };

    const first = { ...reading, measuredAt: new Date('2026-03-01T09:59:59.000Z'), runs: 1 };
    await backlog.publish(first, null);
    await backlog.publish(reading, first.measuredAt);

    expect(await backlog.read()).toEqual(reading);
  });

  it('keeps what another process has published since the count began', async () => {
    const before = await backlog.read();
    const readingAt = (measuredAt: string, runs: number) => ({
      measuredAt: new Date(measuredAt),
      runs,
      held: 0,
      bytes: 0,
      oldest: null,
      oldestAccepted: null,
      projects: new Map(),
    });
    await backlog.publish(readingAt('2026-03-01T10:00:10.000Z', 2), before?.measuredAt ?? null);

    await backlog.publish(readingAt('2026-03-01T10:00:20.000Z', 1), before?.measuredAt ?? null);
    await backlog.publish(readingAt('2026-03-01T10:00:20.000Z', 1), null);

    expect(await backlog.read()).toMatchObject({ runs: 2 });
  });
});
