import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { announceStopped, PostgresRunNotices } from './postgres-run-notices';

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

  it('tell of answered runs, one by one, however many at once', async () => {
    const runIds = Array.from({ length: 300 }, () => anId());

    await Promise.all(runIds.map((runId) => notices.announceAnswered(runId)));

    const heard: (string | null)[] = [];
    for (const _ of runIds) heard.push(await answered.next());
    expect(heard.sort()).toEqual(runIds.sort());
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

    await notices.announceAnswered(runId);

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
