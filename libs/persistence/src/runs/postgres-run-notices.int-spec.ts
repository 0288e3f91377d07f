import type { RunAnswer, RunResponse } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { decodeJson } from '../postgres/stored-json';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { announceStopped, deleteOldResponses, PostgresRunNotices } from './postgres-run-notices';

describe('PostgresRunNotices', () => {
  let database: TestDatabase;
  let pool: Pool;
  let connection: ListeningConnection;
  let notices: PostgresRunNotices;
  let stopped: Heard<readonly string[] | null>;
  let answered: Heard<[runId: string | null, answer: RunAnswer | null]>;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'notices test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'notices test' });
    notices = new PostgresRunNotices(pool, connection);
    [stopped, answered] = [new Heard(), new Heard()];
    notices.listen({ stopped: (runIds) => stopped.add(runIds), answered: (...heard) => answered.add(heard) });
    expect([await stopped.next(), await answered.next()]).toEqual([null, [null, null]]);
  });
  afterEach(() => connection.onApplicationShutdown());

  const keptFor = async (runId: string): Promise<unknown> => {
    const query = 'select response from run_response where run_id = $1';
    const kept = (await pool.query<{ response: Buffer }>(query, [runId])).rows[0];
    return kept && JSON.parse(await decodeJson(kept.response));
  };

  const saying = (body: unknown): RunResponse => ({ status: 200, headers: {}, body });
  const goingOn = (body: unknown): RunAnswer => ({ status: 'RUNNING', response: saying(body) });
  const ended = (body: unknown): RunAnswer => ({ status: 'SUCCEEDED', response: saying(body) });

  it.each([
    ['without a response', { status: 'FAILED', response: null }, null],
    ['with a small response', ended('\u0000 ü \ud800'), ended('\u0000 ü \ud800')],
    ['with a response that fills a notice by itself', ended('x'.repeat(3_850)), ended('x'.repeat(3_850))],
    ['with a response that is too large for a notice', ended('ü'.repeat(2_000)), null],
  ] as const)('tell of runs that ended %s, one by one, however many at once', async (_, answer, carried) => {
    const runIds = Array.from({ length: 500 }, () => anId());

    await Promise.all(runIds.map((runId) => notices.announceAnswered(runId, answer)));

    const heard = new Map<string | null, RunAnswer | null>();
    for (const _ of runIds) heard.set(...(await answered.next()));
    expect(heard).toEqual(new Map(runIds.map((runId) => [runId, carried])));
  });

  it('keep nothing of a run that ended when the notice brings its response: it stands in its journal', async () => {
    const [small, large] = [anId(), anId()];

    await notices.announceAnswered(small, ended('small'));
    await notices.announceAnswered(large, ended('x'.repeat(10_000)));

    expect([await keptFor(small), await keptFor(large)]).toEqual([undefined, saying('x'.repeat(10_000))]);
  });

  it('keep the first response of each run that goes on, also of several announced at once', async () => {
    const [a, b, silent] = [anId(), anId(), anId()];
    await notices.announceAnswered(a, goingOn('early'));

    const bodies = [
      [a, 1],
      [b, 'x'.repeat(100_000)],
      [a, 2],
      [b, 'last'],
    ] as const;
    await Promise.all([
      ...bodies.map(([runId, body]) => notices.announceAnswered(runId, goingOn(body))),
      notices.announceAnswered(silent, { status: 'FAILED', response: null }),
      notices.announceAnswered(a, { status: 'FAILED', response: null }),
    ]);

    expect([await keptFor(a), await keptFor(b), await keptFor(silent)]).toEqual([
      saying('early'),
      saying('x'.repeat(100_000)),
      undefined,
    ]);
    expect(await answered.next()).toEqual([a, goingOn('early')]);
  });

  it('forget responses that nobody waits for any more', async () => {
    const [old, fresh] = [anId(), anId()];
    for (const runId of [old, fresh]) await notices.announceAnswered(runId, goingOn(1));
    await pool.query(`update run_response set created = now() - interval '61 minutes' where run_id = $1`, [old]);
    await pool.query(
      `insert into run_response select gen_random_uuid(), '\\x00', now() - interval '2 hours' from generate_series(1, 1500)`,
    );

    await deleteOldResponses(pool);

    expect(await keptFor(fresh)).toBeDefined();
    const left = `select from run_response where created < now() - interval '1 hour'`;
    expect((await pool.query(left)).rowCount).toBe(0);
  });

  it('tell of stopped runs when the transaction commits, in payloads that PostgreSQL takes', async () => {
    const runIds = Array.from({ length: 500 }, () => anId());
    const client = await pool.connect();
    await client.query('begin');
    await announceStopped(client, [anId()]);
    await client.query('rollback');
    client.release();

    await announceStopped(pool, runIds);
    await announceStopped(pool, []);

    const heard: string[] = [];
    while (heard.length < runIds.length) heard.push(...((await stopped.next()) ?? []));
    expect(heard).toEqual(runIds);
  });

  it('reach somebody who listens to a channel later, who is told first that some may have been missed', async () => {
    const late = new Heard<string | null>();
    connection.on('another_channel', (payload) => late.add(payload));
    expect(await late.next()).toBeNull();

    await pool.query(`select pg_notify('another_channel', 'x')`);

    expect(await late.next()).toBe('x');
  });

  it('come again after the connection broke, and everything is doubtful then', async () => {
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notices test listener'
       and datname = current_database()`,
    );
    expect([await stopped.next(), await answered.next()]).toEqual([null, [null, null]]);
    const runId = anId();

    await notices.announceAnswered(runId, ended(1));

    expect(await answered.next()).toEqual([runId, ended(1)]);
  });
});

/** The run events that were received; the test takes them one by one. */
class Heard<T> {
  private readonly heard: T[] = [];
  private wake = (): void => undefined;

  add(value: T): void {
    this.heard.push(value);
    this.wake();
  }

  async next(): Promise<T> {
    while (this.heard.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.heard.shift() as T;
  }
}
