import {
  errorFingerprint,
  failedByChild,
  stepRunKey,
  webhookKey,
  type FinalRunStatus,
  type NewChildRun,
  type NewRun,
} from '@millrace/domain';
import { aChildRun, aNewRun, anEnding, anId, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { inThisOrder, stalledBefore, untilLockWait } from '../testing/stalled-pool';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunNotices } from './postgres-run-notices';

describe('PostgresRunFamilies', () => {
  let database: TestDatabase;
  let pool: Pool;
  let queue: InMemoryJobQueue;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;
  let families: PostgresRunFamilies;
  /** The families as another process sees them. */
  let others: PostgresRunFamilies;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'families test');
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    queue = new InMemoryJobQueue();
    families = new PostgresRunFamilies(pool, queue);
    others = new PostgresRunFamilies(pool, queue);
  });

  const childOf = (runId: string, failOnFailure: boolean, depth = 1): NewChildRun =>
    aChildRun({ runId, failOnFailure, depth });
  const accepted = async (run = aNewRun()): Promise<string> => (await intake.accept(run)).runId;
  const ended = async (run: NewRun, status: FinalRunStatus, statusReason: string | null = null): Promise<string> => {
    await intake.accept(run);
    await journal.finish(anEnding(run.id, { status, statusReason }));
    return run.id;
  };
  const waitedFor = async () => {
    const parentId = await accepted();
    const child = childOf(parentId, true);
    await journal.pause(aPause(parentId, [aWait('a', { kind: 'child', until: null, child })], { epoch: 0 }));
    await journal.finish(anEnding(child.id, { status: 'FAILED' }));
    return { parentId, childId: child.id };
  };
  const rowOf = async (runId: string) =>
    (await pool.query<Record<string, unknown>>('select * from flow_run where id = $1', [runId])).rows[0];

  it.each([
    ['the step that started the child', 'each[3].call_billing'],
    ['the step that started several, of which the child is one', 'each[3].call_billing/0/2jmj7l5rSw0yVb_vlWAYkK/1'],
  ])('fails a parent at %s, with a reason that names the child', async (_, key) => {
    const parentId = await accepted();
    await journal.claim({ runId: parentId, epoch: 0 }, new Date(), 15);
    const run = { ...childOf(parentId, true), idempotencyKey: stepRunKey(`${parentId}:${key}`) };
    const childId = await ended(run, 'TIMEOUT', 'Too slow.');

    await families.notifyParent(childId);

    const message = failedByChild(childId, 'TIMEOUT', 'Too slow.');
    const fingerprint = errorFingerprint(failedByChild(anId(), 'TIMEOUT', 'Too slow.'));
    expect(await rowOf(parentId)).toMatchObject({
      ...{ status: 'FAILED', finish_time: expect.any(Date), status_reason: message },
      failed_step: { name: 'call_billing', displayName: 'call_billing', message, fingerprint },
    });
    expect((await rowOf(childId))?.['parent_told']).toBe(true);
  });

  it.each([
    ['no key', () => null],
    ['a key of its own', () => webhookKey('order 17')],
    ['a key from outside that reads like a step’s', (parentId: string) => webhookKey(`${parentId}:call_billing`)],
    ['a key that only begins as a step’s', (parentId: string) => stepRunKey(`${parentId}:`)],
  ])('fails a parent at no step when the child has %s', async (_, keyFor) => {
    const parentId = await accepted();
    const childId = await ended({ ...childOf(parentId, true), idempotencyKey: keyFor(parentId) }, 'FAILED');

    await families.notifyParent(childId);

    expect(await rowOf(parentId)).toMatchObject({ status: 'FAILED', failed_step: null });
  });

  it('tells those behind a child whose telling fails, and tries that one again', async () => {
    const [broken, fine] = [await waitedFor(), await waitedFor()];
    await pool.query(`update run_segment set records = '\\x04' where run_id = $1`, [broken.childId]);

    expect(await families.notifyParents(1)).toBe(1);
    expect((await journal.load(broken.parentId))?.status).toBe('PAUSED');
    expect(await families.notifyParents(1)).toBe(1);
    expect((await journal.load(fine.parentId))?.status).toBe('RUNNING');
    expect(await families.notifyParents(1)).toBe(0);

    await pool.query(`update run_segment set records = '\\x005b5d' where run_id = $1`, [broken.childId]);
    expect(await families.notifyParents(1)).toBe(1);
    expect((await journal.load(broken.parentId))?.status).toBe('RUNNING');
  });

  it('reads no journal of a child that nobody waits for', async () => {
    const childId = await ended(childOf(await accepted(), true), 'FAILED');
    const query = jest.spyOn(pool, 'query');

    await families.notifyParent(childId);

    expect(query.mock.calls.map(([sent]) => (sent as unknown as { name: string }).name)).not.toContain(
      'newest-segments',
    );
    query.mockRestore();
  });

  it('reads the journal of a child before it locks the parent', async () => {
    const { parentId, childId } = await waitedFor();
    const before = stalledBefore(pool, 'lock-run');
    const told = new PostgresRunFamilies(before.pool, queue).notifyParent(childId);
    await before.reached;
    await pool.query(`update run_segment set records = '\\x7f' where run_id = $1`, [childId]);
    before.go();

    await told;

    expect((await journal.load(parentId))?.status).toBe('RUNNING');
  });

  it('fails a parent that is paused for something else, and closes what it waits for', async () => {
    const parentId = await accepted();
    const asking = aWait('a', { kind: 'human', until: null, request: { kind: 'approval' } });
    await journal.pause(aPause(parentId, [asking], { epoch: 0 }));
    // A step that did not wait started the child before the pause.
    const childId = await ended(childOf(parentId, true), 'FAILED');

    await families.notifyParent(childId);

    expect(await rowOf(parentId)).toMatchObject({ status: 'FAILED', paused_at: null });
    const open = await pool.query('select from run_request where run_id = $1 and ended_at is null', [parentId]);
    expect(open.rowCount).toBe(0);
  });

  it('leaves a parent that has ended, or is gone, as it is', async () => {
    const parentId = await accepted();
    const [child, orphan] = [childOf(parentId, true), childOf(await accepted(), true)];
    for (const run of [child, orphan]) await intake.accept(run);
    await journal.finish(anEnding(parentId));
    await pool.query('delete from flow_run where id = $1', [orphan.parent?.runId]);
    for (const { id } of [child, orphan]) await journal.finish(anEnding(id, { status: 'FAILED' }));

    await families.notifyParents(10);

    expect((await rowOf(parentId))?.['status']).toBe('SUCCEEDED');
    expect(await families.notifyParents(10)).toBe(0);
  });

  it('has nothing to tell of a run that is nobody’s child, unknown or malformed', async () => {
    const runId = await accepted();
    await journal.finish(anEnding(runId));

    for (const id of [runId, anId(), 'no-id']) await families.notifyParent(id);

    expect((await rowOf(runId))?.['parent_told']).toBe(false);
  });

  it('fails a parent once, whoever tells of whichever child', async () => {
    const parentId = await accepted();
    const children = Array.from({ length: 6 }, () => childOf(parentId, true));
    for (const child of children) await ended(child, 'FAILED');

    await Promise.all([...children.map(({ id }) => families.notifyParent(id)), others.notifyParents(10)]);

    const row = await rowOf(parentId);
    expect(children.map(({ id }) => failedByChild(id, 'FAILED', null))).toContain(row?.['status_reason']);
    await families.notifyParents(10);
    expect(await rowOf(parentId)).toEqual(row);
  });

  it('fails a parent with the first of two children that tell it at the same time', async () => {
    const parentId = await accepted();
    const [first, second] = [childOf(parentId, true), childOf(parentId, true)];
    for (const child of [first, second]) await ended(child, 'FAILED');
    const before = stalledBefore(pool, 'end-runs');
    const stalled = new PostgresRunFamilies(before.pool, queue);

    await inThisOrder(
      before,
      () => stalled.notifyParent(first.id),
      () => families.notifyParent(second.id),
    );

    expect(await rowOf(parentId)).toMatchObject({
      status: 'FAILED',
      status_reason: failedByChild(first.id, 'FAILED', null),
    });
    expect(await families.notifyParents(10)).toBe(0);
  });

  it('wakes a parent once when its child is told of twice at the same time', async () => {
    const parentId = await accepted();
    const child = childOf(parentId, true);
    await journal.pause(aPause(parentId, [aWait('a', { kind: 'child', until: null, child })], { epoch: 0 }));
    await journal.finish(anEnding(child.id, { status: 'FAILED' }));
    const before = stalledBefore(pool, 'resume-runs');
    const stalled = new PostgresRunFamilies(before.pool, queue);

    await inThisOrder(
      before,
      () => stalled.notifyParent(child.id),
      () => families.notifyParent(child.id),
    );

    expect(queue.waiting()).toHaveLength(1);
    expect((await journal.load(parentId))?.status).toBe('RUNNING');
  });

  it('carries a failure up ten runs in one go', async () => {
    const chain = [aNewRun()];
    for (let depth = 1; depth <= 10; depth++) chain.push(childOf(chain[depth - 1]?.id as string, true, depth));
    for (const run of chain) await intake.accept(run);
    const bottom = chain.at(-1)?.id as string;
    await journal.finish(anEnding(bottom, { status: 'STOPPED' }));

    await families.notifyParents(100);

    const statuses = await Promise.all(chain.map(async ({ id }) => (await rowOf(id))?.['status']));
    expect(statuses).toEqual([...chain.slice(1).map(() => 'FAILED'), 'STOPPED']);
    expect(await families.notifyParents(100)).toBe(0);
  });

  it('tells whoever executes the parent to stop', async () => {
    const connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'families test' });
    const heard = new Promise<readonly string[]>((resolve) => {
      new PostgresRunNotices(pool, connection).listen({ stopped: (runIds) => runIds && resolve(runIds) });
    });
    const told = new Promise<void>((resolve) => connection.on('run_stopped', (payload) => payload ?? resolve()));
    await told;
    const parentId = await accepted();

    await families.notifyParent(await ended(childOf(parentId, true), 'FAILED'));

    expect(await heard).toEqual([parentId]);
    await connection.onApplicationShutdown();
  });

  it('ends the wait of a parent once when several tell it, and answers how many there were to tell', async () => {
    const pairs = await Promise.all(Array.from({ length: 20 }, waitedFor));

    const [counted] = await Promise.all([
      families.notifyParents(100),
      others.notifyParents(100),
      ...pairs.map(({ childId }) => families.notifyParent(childId)),
    ]);

    expect(counted).toBeLessThanOrEqual(20);
    for (const { parentId, childId } of pairs) {
      expect((await journal.load(parentId))?.waitEndings.get('a')).toMatchObject({ runId: childId, status: 'FAILED' });
    }
    expect(
      queue
        .waiting()
        .map(({ runs }) => runs[0]?.runId)
        .sort(),
    ).toEqual(pairs.map((pair) => pair.parentId).sort());
  });

  it('goes round a child whose row another transaction has locked', async () => {
    const parentId = await accepted();
    const locked = await ended(childOf(parentId, false), 'FAILED');
    const behind = await Promise.all([1, 2].map(() => ended(childOf(parentId, false), 'FAILED')));
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from flow_run where id = $1 for update', [locked]);

    const all = families.notifyParents(100);
    await untilLockWait(pool);
    const rows = await Promise.all(behind.map(rowOf));
    await holder.query('rollback');
    holder.release();
    await all;

    expect(rows.map((row) => row?.['parent_told'])).toEqual([true, true]);
    expect((await rowOf(locked))?.['parent_told']).toBe(true);
  });

  it('marks many children whom nobody heeds in one statement', async () => {
    const parentId = await accepted();
    for (let i = 0; i < 20; i++) await ended(childOf(parentId, false), 'FAILED');
    const connect = jest.spyOn(pool, 'connect');

    expect(await families.notifyParents(100)).toBe(20);

    expect(connect.mock.calls.length).toBeLessThanOrEqual(2);
    connect.mockRestore();
    expect(await families.notifyParents(100)).toBe(0);
  });
});
