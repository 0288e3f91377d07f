import type { LiveChanges } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresLiveFeed } from './postgres-live-feed';
import { PostgresLiveUpdates } from './postgres-live-updates';

/** What a feed has heard, in order; each waits for the next. */
class Heard {
  private readonly changes: (LiveChanges | null)[] = [];
  private wake: () => void = () => undefined;

  constructor(feed: PostgresLiveFeed) {
    feed.listen((changes) => {
      this.changes.push(changes);
      this.wake();
    });
  }

  async next(): Promise<LiveChanges | null> {
    while (this.changes.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.changes.shift() ?? null;
  }
}

describe('live updates between processes', () => {
  let database: TestDatabase;
  let pool: Pool;
  let connections: ListeningConnection[];
  let worker: PostgresLiveUpdates;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'live test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    connections = [];
    worker = new PostgresLiveUpdates(pool, connect());
  });
  afterEach(async () => {
    worker.onApplicationShutdown();
    for (const connection of connections) await connection.onApplicationShutdown();
  });

  function connect(): ListeningConnection {
    const connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'live test' });
    connections.push(connection);
    return connection;
  }

  async function anApi(): Promise<{ feed: PostgresLiveFeed; heard: Heard }> {
    const feed = new PostgresLiveFeed(pool, connect());
    const heard = new Heard(feed);
    expect(await heard.next()).toBeNull();
    return { feed, heard };
  }

  const isWatched = async (expected: boolean): Promise<void> => {
    while (worker.isWatched !== expected) await new Promise((resolve) => setImmediate(resolve));
  };

  it('send nothing while nobody watches, and what is watched from then on', async () => {
    const query = jest.spyOn(pool, 'query');
    const runId = anId();
    worker.runChanged({ id: runId, projectId: anId(), status: 'RUNNING' });
    worker.stepChanged(runId, { path: 'a', status: 'RUNNING', duration: 0 });
    expect([worker.isWatched, query.mock.calls]).toEqual([false, []]);
    query.mockRestore();
    const { feed, heard } = await anApi();
    worker.onApplicationBootstrap();

    await feed.watch(runId);
    await isWatched(true);
    worker.stepChanged(runId, { path: 'each[2].send', status: 'SUCCEEDED', duration: 1.5 });
    worker.stepChanged(anId(), { path: 'other', status: 'SUCCEEDED', duration: 1 });
    worker.runChanged({ id: runId, projectId: anId(), status: 'SUCCEEDED' });

    expect(await heard.next()).toEqual({
      runIds: [runId],
      unplaced: [],
      steps: [{ runId, path: 'each[2].send', status: 'SUCCEEDED', duration: 1.5 }],
      projects: [],
      flows: [],
    });
    feed.unwatch(runId);
    await isWatched(false);
  });

  it('reach every process, each with what it asked for', async () => {
    const [first, second] = [await anApi(), await anApi()];
    const [projectId, runId] = [anId(), anId()];
    worker.onApplicationBootstrap();
    await first.feed.watch(projectId);
    await isWatched(true);

    worker.runChanged({ id: runId, projectId, status: 'RUNNING' });

    const expected = { projects: [{ projectId, counts: { RUNNING: 1 }, runIds: [runId] }] };
    expect([await first.heard.next(), await second.heard.next()]).toMatchObject([expected, expected]);
    first.feed.unwatch(projectId);
    await isWatched(false);
  });

  it('tell who asks for it when something begins to be watched', async () => {
    const [{ feed }, others] = [await anApi(), await anApi()];
    const [runId, second] = [anId(), anId()];
    const watched: string[] = [];
    worker.whenWatched((ids) => watched.push(...ids));
    worker.onApplicationBootstrap();

    await feed.watch(runId);
    await isWatched(true);
    await others.feed.watch(runId);
    await feed.watch(second);
    while (!watched.includes(second)) await new Promise((resolve) => setImmediate(resolve));

    expect(watched).toEqual([runId, second]);
    for (const each of [feed, others.feed]) each.onApplicationShutdown();
  });

  it('tell a process that starts later what is watched', async () => {
    const { feed } = await anApi();
    await feed.watch(anId());

    worker.onApplicationBootstrap();

    await isWatched(true);
    feed.onApplicationShutdown();
  });

  it('count the runs of a project and name the newest, however many change', async () => {
    const { feed, heard } = await anApi();
    const projectId = anId();
    worker.onApplicationBootstrap();
    await feed.watch(projectId);
    await isWatched(true);
    const ids = Array.from({ length: 5_000 }, () => anId());

    for (const id of ids) worker.runChanged({ id, projectId, status: 'SUCCEEDED' });

    const newest = [...ids].sort().reverse().slice(0, 50);
    const changed = await heard.next();
    expect(changed?.projects).toEqual([{ projectId, counts: { SUCCEEDED: 5_000 }, runIds: newest }]);
    feed.onApplicationShutdown();
  });

  it('say which flows of a watched project changed, and which runs of unknown projects', async () => {
    const { feed, heard } = await anApi();
    const [projectId, runId] = [anId(), anId()];
    worker.onApplicationBootstrap();
    await feed.watch(projectId);
    await isWatched(true);
    const flow = {
      id: anId(),
      projectId,
      change: 'updated',
      status: 'ENABLED',
      publishedVersionId: null,
      updated: new Date(0),
    } as const;

    worker.flowChanged(flow);
    worker.flowChanged({ ...flow, id: anId(), projectId: anId() });
    worker.runChanged({ id: runId, projectId: null, status: 'TIMEOUT' });

    expect(await heard.next()).toMatchObject({ flows: [flow], unplaced: [{ id: runId, status: 'TIMEOUT' }] });
    feed.onApplicationShutdown();
  });
});
