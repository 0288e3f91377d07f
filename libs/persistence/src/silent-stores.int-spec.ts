import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Queue, Worker } from 'bullmq';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { prepareSecrets } from './key-rotation/secrets-at-start';
import { LeaderLease } from './maintenance/leader-lease';
import { dataSourceOptions } from './modules/data-source';
import { QueueModule } from './modules/queue.module';
import { openHotPool } from './postgres/hot-pool';
import { ListeningConnection } from './postgres/listening-connection';
import { untilPostgresAnswers } from './postgres/until-postgres-answers';
import { logQueueErrors } from './queue/queue-errors';
import { migrate } from './schema/migrate';
import { MIGRATION_PATIENCE, MigrationSession } from './schema/migration-session';
import { untilMigrated, untilSchemaFits } from './schema/until-schema-fits';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue/queue-connection';
import type { QueueSettings } from './queue/queue-settings';
import { KeyRing } from './secrets/key-ring';
import { SilentProxy } from './testing/silent-proxy';
import { createTestDatabase, type TestDatabase } from './testing/test-database';

// Checks that a store which neither closes nor answers is noticed. Every time limit is a twentieth of the real one
// here.
jest.mock('./time-limits', () => {
  const actual = jest.requireActual<typeof import('./time-limits')>('./time-limits');
  const shorter = Object.entries(actual.TIME_LIMITS).map(([name, ms]) => [name, ms / 20]);
  return { TIME_LIMITS: Object.fromEntries(shorter) as typeof actual.TIME_LIMITS, CLIENT_WAITS_LONGER_MS: 25 };
});
/** A twentieth of 20 s, and some time for a busy machine. */
const NOTICED_WITHIN_MS = 1_000 + 2_000;

const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };

/** Returns how long the work takes to settle. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work.catch(() => undefined);
  return performance.now() - from;
}

/** Tries again and again until it succeeds, as callers do. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise(setImmediate);
    }
  }
}

describe('a store that goes silent', () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  let url: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    proxy = new SilentProxy(new URL(database.url));
    url = await proxy.open();
  });
  afterEach(() => proxy.close());

  it('is noticed by the hot pool, which has connections again at once', async () => {
    const pool = openHotPool(url, 'silent test');
    await pool.query('select 1');

    proxy.fallSilent();
    expect(await timeOf(pool.query('select 1'))).toBeLessThan(NOTICED_WITHIN_MS);
    proxy.recover();

    expect((await pool.query('select 1')).rowCount).toBe(1);
    await pool.end();
  });

  it('is noticed by what TypeORM asks, and no later statement waits behind the lost one', async () => {
    const dataSource = await new DataSource(dataSourceOptions(url, 'silent test', 1)).initialize();

    proxy.fallSilent();
    expect(await timeOf(dataSource.query('select 1'))).toBeLessThan(NOTICED_WITHIN_MS);
    proxy.recover();

    expect(await dataSource.query('select 1 as one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });

  it('does not keep a listening connection from closing that has just begun to connect', async () => {
    const connection = new ListeningConnection({ databaseUrl: url, applicationName: 'silent test' });
    connection.on('anything', () => undefined);
    await connection.onApplicationShutdown();

    proxy.fallSilent();
    const late = new ListeningConnection({ databaseUrl: url, applicationName: 'silent test' });
    late.on('anything', () => undefined);
    await late.onApplicationShutdown();
  });

  it('is noticed by a connection that only listens', async () => {
    const connection = new ListeningConnection({ databaseUrl: url, applicationName: 'silent test' });
    let heard = (): void => undefined;
    const listening = () => new Promise<void>((resolve) => (heard = resolve));
    const first = listening();
    connection.on('silence', () => heard());
    await first;

    proxy.fallSilent();
    const again = listening();
    proxy.recover();

    expect(await timeOf(again)).toBeLessThan(NOTICED_WITHIN_MS);
    await connection.onApplicationShutdown();
  });

  it('is noticed by the leader, whose lease another process takes', async () => {
    const pool = openHotPool(url, 'silent leader');
    const far = new LeaderLease(pool, { standsIn: false });
    await far.ask();
    expect(far.isHeld()).toBe(true);

    proxy.fallSilent();
    expect(await timeOf(far.ask())).toBeLessThan(NOTICED_WITHIN_MS);
    proxy.recover();
    await far.ask();

    expect(far.isHeld()).toBe(true);
    await far.resign();
    await pool.end();
  });

  it('is noticed by a queue in PostgreSQL', async () => {
    const settings: QueueSettings = { databaseUrl: url, ...retention };
    useQueueStore(settings);
    const queue = new Queue(`silent-${randomUUID()}`, queueOptions(settings));
    logQueueErrors(queue);
    await queue.waitUntilReady();

    proxy.fallSilent();
    expect(await timeOf(queue.getJobCounts())).toBeLessThan(NOTICED_WITHIN_MS);
    proxy.recover();

    expect(await queue.getWaitingCount()).toBe(0);
    await queue.close();
  });

  describe('while an app starts', () => {
    const log = new EventEmitter();
    const saidWarning = async (): Promise<string> => String((await once(log, 'warning'))[0]);
    let warnings: jest.SpyInstance;

    beforeEach(() => {
      warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void log.emit('warning', line));
    });
    afterEach(() => jest.restoreAllMocks());

    it('is noticed by the check of the schema, which says so and goes on later', async () => {
      const client = new Client(database.url);
      await client.connect();
      await client.query(`update migration set name = 'of later' where name = 'DataKeys1790700000000'`);
      const behind = saidWarning();
      const fits = untilSchemaFits(url, 'db:5432/millrace (SVC_DATABASE_URL)');
      expect(await behind).toContain('DataKeys1790700000000');

      const silence = saidWarning();
      proxy.fallSilent();
      expect(await silence).toContain(
        'Waiting for the database at db:5432/millrace (SVC_DATABASE_URL): Query read timeout',
      );
      await client.query(`update migration set name = 'DataKeys1790700000000' where name = 'of later'`);
      await client.end();
      proxy.recover();

      await fits;
    });

    it('is noticed by the check of the keys, which says so once and goes on later', async () => {
      const said = saidWarning();
      const prepared = prepareSecrets(url, KeyRing.of({ encryptionKey: randomBytes(32) }));
      proxy.fallSilent();
      const sentence = await said;
      proxy.recover();
      await prepared;

      expect(sentence).toContain('Waiting for the database (SVC_DATABASE_URL), to check the encryption key: ');
      expect(warnings).toHaveBeenCalledTimes(1);
    });

    it('is noticed by the queue, whose tables it prepares, which says so once and goes on later', async () => {
      const said = saidWarning();
      proxy.fallSilent();
      const starting = NestFactory.createApplicationContext(QueueModule.forRoot({ databaseUrl: url, ...retention }), {
        logger: false,
        abortOnError: false,
      });
      const sentence = await said;
      proxy.recover();
      const app = await starting;

      expect(sentence).toContain('Waiting for the database (SVC_DATABASE_URL), to prepare the queue: ');
      expect(warnings).toHaveBeenCalledTimes(1);
      await app.close();
    });

    it('is noticed by the migrator, which says so once and goes on later', async () => {
      const said = saidWarning();
      proxy.fallSilent();
      const migrated = untilMigrated(url);
      const sentence = await said;
      proxy.recover();

      expect(await migrated).toEqual([]);
      expect(sentence).toContain('Waiting for the database (SVC_DATABASE_URL), to migrate it: ');
      expect(warnings).toHaveBeenCalledTimes(1);
    });

    it.each(['0A000', '55P03', '42601'])('is not what a step fails with that gets %s', async (code) => {
      const refused = Object.assign(new Error('refused'), { code });

      await expect(untilPostgresAnswers('to start', () => Promise.reject(refused))).rejects.toBe(refused);
    });

    it('is noticed by a migrator that waits for its turn', async () => {
      const other = new Client(database.url);
      await other.connect();
      await other.query('select pg_advisory_lock(7203115002)');
      let hears = (): void => undefined;
      const waits = new Promise<void>((resolve) => (hears = resolve));
      const migrated = migrate(url, { say: () => hears() });
      await waits;

      proxy.fallSilent();

      expect(await timeOf(migrated)).toBeLessThan(NOTICED_WITHIN_MS);
      await expect(migrated).rejects.toThrow('Query read timeout');
      await other.end();
    });

    it('is told of by a migrator whose statement takes long, and that has no limit', async () => {
      const said: string[] = [];
      const patience = { ...MIGRATION_PATIENCE, silenceMs: 50 };
      const session = await MigrationSession.open(url, patience, (line) => said.push(line));

      await session.query('select pg_sleep(1)');

      expect(said).toEqual([expect.stringContaining('has not answered a statement for 0.05 s')]);
      await session.close();
    });
  });

  const itWithRedis = redisUrl ? it : it.skip;

  itWithRedis('is noticed by a queue in Redis, and by its worker that waits for a job', async () => {
    const redis = new SilentProxy(new URL(redisUrl ?? ''));
    const settings: QueueSettings = { databaseUrl: database.url, redisUrl: await redis.open(), ...retention };
    useQueueStore(settings);
    const queue = new Queue(`silent-${randomUUID()}`, queueOptions(settings));
    let took = (_name: string): void => undefined;
    const taken = new Promise<string>((resolve) => (took = resolve));
    const worker = new Worker(queue.name, (job) => Promise.resolve(took(job.name)), {
      ...queueWorkerOptions(settings, { concurrency: 1 }),
      drainDelay: 0.25,
    });
    for (const source of [queue, worker]) logQueueErrors(source);
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);

    redis.fallSilent();
    redis.recover();
    expect(await timeOf(untilItWorks(() => queue.add('after the silence', {})))).toBeLessThan(NOTICED_WITHIN_MS);

    expect(await taken).toBe('after the silence');
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await redis.close();
  });
});

describe('the limits of connections', () => {
  it('notice a peer that is gone within 20 s', () => {
    const { TIME_LIMITS: limits } = jest.requireActual<typeof import('./time-limits')>('./time-limits');
    const noticed = [
      limits.hotStatementMs,
      limits.statementMs,
      limits.queueMs,
      limits.heartbeatMs + limits.listenerMs,
      limits.leaseMs,
      limits.idleBeforeProbeMs + 10_000,
    ];

    expect(Math.max(...noticed)).toBeLessThan(20_000 - limits.connectMs + 1);
  });
});
