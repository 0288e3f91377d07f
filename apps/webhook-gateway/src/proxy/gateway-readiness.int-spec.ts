import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createHttpApp, HealthModule } from '@millrace/http';
import { PostgresModule, QueueModule } from '@millrace/persistence';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Client } from 'pg';
import { hasRedis, OwnRedis } from '../testing/own-redis';
import { gatewayReadiness } from './gateway-readiness';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';

const NAME = 'readiness test';
/** An api that has started, and whose stores do not answer: it has no answer about its readiness. */
const makeApi = (): Server =>
  createServer(({ url }, response) => void (url === '/api/v1/health/startup' && response.end()));

interface Report {
  ready: boolean;
  checks: Record<string, boolean>;
}

describe('the readiness of a gateway', () => {
  let database: TestDatabase;
  let redis: OwnRedis | undefined;
  let api: Server;
  let app: NestFastifyApplication;
  let base: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = hasRedis ? await OwnRedis.start() : undefined;
    api = makeApi().listen(0, '127.0.0.1');
    await once(api, 'listening');
    const queue = { databaseUrl: database.url, failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };
    @Module({
      imports: [
        PostgresModule.forRoot({ databaseUrl: database.url, applicationName: NAME }),
        QueueModule.forRoot({ ...queue, redisUrl: redis?.url }),
        HealthModule.forRoot(gatewayReadiness(`http://127.0.0.1:${portOf(api)}`)),
      ],
    })
    class TestModule {}
    app = await createHttpApp(TestModule, LOCAL_SETTINGS, { name: 'gateway' });
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${portOf(app.getHttpServer())}`;
  });
  afterAll(async () => {
    await app.close();
    api.close();
    await redis?.stop();
    await database.drop();
  });

  const ask = async (): Promise<{ status: number; report: Report }> => {
    const answer = await fetch(`${base}/api/v1/health/ready`);
    return { status: answer.status, report: (await answer.json()) as Report };
  };
  /** Asks until a check has the result, as probes do. Resolves with the status of that answer. */
  const until = async (check: string, passes: boolean): Promise<number> => {
    for (;;) {
      const { status, report } = await ask();
      if (report.checks[check] === passes) return status;
      await pause(50);
    }
  };

  it('is given while everything answers, whatever the stores of the api do', async () => {
    expect(await ask()).toEqual({
      status: 200,
      report: { ready: true, checks: { database: true, migrations: true, queue: true, api: true } },
    });
    expect((await fetch(`${base}/api/v1/health/startup`)).status).toBe(200);
  });

  it('ends while PostgreSQL is frozen, and is back by itself', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1',
      [NAME],
    );
    await client.end();

    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    expect(await until('database', false)).toBe(503);
    for (const { pid } of rows) process.kill(pid, 'SIGCONT');

    expect(await until('database', true)).toBe(200);
  });

  const itWithRedis = hasRedis ? it : it.skip;

  itWithRedis('stays while Redis is frozen or stopped, which is reported', async () => {
    redis?.freeze();
    expect(await until('queue', false)).toBe(200);
    redis?.thaw();
    expect(await until('queue', true)).toBe(200);

    await redis?.stop();
    expect(await until('queue', false)).toBe(200);
    await redis?.run();
    expect(await until('queue', true)).toBe(200);
  });

  it('stays while the api is away, which is reported', async () => {
    const port = portOf(api);
    api.closeAllConnections();
    await new Promise((closed) => api.close(closed));
    expect(await until('api', false)).toBe(200);

    api = makeApi().listen(port, '127.0.0.1');
    expect(await until('api', true)).toBe(200);
  });
});
