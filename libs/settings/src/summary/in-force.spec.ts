import { readSettings } from '../read-settings';
import { databaseAt, gatewayInForce, sessionDatabaseAt, workerInForce } from './in-force';

const KEY = '6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8';
const stores = {
  SVC_DATABASE_URL: 'postgres://millrace:hunter2@db.internal:6432/flows?sslmode=require',
  SVC_REDIS_URL: 'rediss://:hunter2@redis.internal:6380/2',
};

describe('what the first line of a log says', () => {
  it('has the stores of a gateway, and no secret', () => {
    const settings = readSettings('webhook-gateway', { ...stores, SVC_WEBHOOK_KEY: KEY });
    expect(gatewayInForce(settings)).toEqual({
      database: 'db.internal:6432/flows',
      queue: 'Redis at redis.internal:6380',
      files: 'PostgreSQL',
      publicUrl: null,
      api: null,
      largestBodyMb: 25,
      syncTimeoutSeconds: 30,
    });
    expect(JSON.stringify(gatewayInForce(settings))).not.toContain('hunter2');
  });

  it('has no part of a password that contains @', () => {
    const SVC_REDIS_URL = 'redis://default:hunter@2hunter@redis:6379';
    const settings = readSettings('webhook-gateway', { ...stores, SVC_REDIS_URL, SVC_WEBHOOK_KEY: KEY });

    expect(gatewayInForce(settings)).toMatchObject({ queue: 'Redis at redis:6379' });
  });

  it('has the limits of a worker', () => {
    const { SVC_DATABASE_URL } = stores;
    const secrets = { SVC_ENCRYPTION_KEY: KEY, SVC_WORKER_TOKEN: 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe' };
    const settings = readSettings('worker', { SVC_DATABASE_URL, ...secrets, SVC_SANDBOX_THREADS: '3' });
    expect(workerInForce(settings)).toMatchObject({
      queue: 'PostgreSQL',
      concurrency: 50,
      sandbox: { threads: 3, memoryMb: 128, cpuSeconds: 10 },
    });
  });
});

describe('databaseAt', () => {
  it.each([
    ['postgres://u:p@localhost/flows', 'localhost/flows'],
    ['postgres://u@localhost/flows?host=/run/postgresql', '/run/postgresql/flows'],
    ['postgres://u:p@%2Frun%2Fpostgresql/flows', '/run/postgresql/flows'],
  ])('of %s is %s', (url, place) => {
    expect(databaseAt(url)).toBe(place);
  });
});

describe('sessionDatabaseAt', () => {
  it('names the database and its setting, without user and password', () => {
    const SVC_DATABASE_URL = 'postgres://millrace:geheim@db:5432/millrace';
    const SVC_DATABASE_SESSION_URL = 'postgres://millrace:geheim@direct:5432/millrace';

    expect([
      sessionDatabaseAt({ SVC_DATABASE_URL, SVC_DATABASE_SESSION_URL: undefined }),
      sessionDatabaseAt({ SVC_DATABASE_URL, SVC_DATABASE_SESSION_URL }),
    ]).toEqual(['db:5432/millrace (SVC_DATABASE_URL)', 'direct:5432/millrace (SVC_DATABASE_SESSION_URL)']);
  });
});
