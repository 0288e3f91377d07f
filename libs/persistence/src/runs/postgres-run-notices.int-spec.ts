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
  let answered: Heard<string | null>;

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
    notices.listen({ stopped: (runIds) => stopped.add(runIds), answered: (runId) => answered.add(runId) });
    expect([await stopped.next(), await answered.next()]).toEqual([null, null]);
  });
  afterEach(() => connection.onApplicationShutdown());

  const keptFor = async (runId: string): Promise<unknown> => {
    const query = 'select response from run_response where run_id = $1';
    const kept = (await pool.query<{ response: Buffer }>(query, [runId])).rows[0];
    return kept && JSON.parse(await decodeJson(kept.response));
  };

  it('tell of answered runs, one by one, however many at once', async () => {
    const runIds = Array.from({ length: 300 }, () => anId());

    await Promise.all(runIds.map((runId) => notices.announceAnswered(runId, null)));

    const heard: (string | null)[] = [];
    for (const _ of runIds) heard.push(await answered.next());
    expect(heard.sort()).toEqual(runIds.sort());
  });

  it('keep the last response of each run, also of several announced at once', async () => {
    const [a, b, silent] = [anId(), anId(), anId()];
    const saying = (body: unknown) => ({ status: 200, headers: {}, body });
    await notices.announceAnswered(a, saying('early'));

    const bodies = [
      [a, 1],
      [b, 'x'.repeat(100_000)],
      [a, 2],
      [b, 'last'],
    ] as const;
    await Promise.all([
      ...bodies.map(([runId, body]) => notices.announceAnswered(runId, saying(body))),
      notices.announceAnswered(silent, null),
      notices.announceAnswered(a, null),
    ]);

    expect([await keptFor(a), await keptFor(b), await keptFor(silent)]).toEqual([saying(2), saying('last'), undefined]);
    expect(await answered.next()).toBe(a);
  });

  it('forget responses that nobody waits for any more', async () => {
    const [old, fresh] = [anId(), anId()];
    for (const runId of [old, fresh]) await notices.announceAnswered(runId, { status: 200, headers: {}, body: 1 });
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
    expect([await stopped.next(), await answered.next()]).toEqual([null, null]);
    const runId = anId();

    await notices.announceAnswered(runId, null);

    expect(await answered.next()).toBe(runId);
  });
});

/** What was heard, to be asked one by one. */
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
