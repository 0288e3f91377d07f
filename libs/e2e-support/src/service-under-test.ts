import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ServiceUnderTest {
  baseUrl: string;
  adminEmail: string;
  adminPassword: string;
  adminApiKey: string;
  /** The settings for another app that uses the same stores. */
  stores: () => Record<string, string>;
}

/** The service under test uses this database of Redis; `ownRedisUrl` explains the others. */
const REDIS_DATABASE = 1;

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the end-to-end tests with "npm test -- e2e".`);
  return value;
}

/** The service that `npm test` has started. */
export const serviceUnderTest = (): ServiceUnderTest => ({
  baseUrl: required('MILLRACE_BASE_URL'),
  adminEmail: required('MILLRACE_ADMIN_EMAIL'),
  adminPassword: required('MILLRACE_ADMIN_PASSWORD'),
  adminApiKey: required('MILLRACE_ADMIN_API_KEY'),
  stores: storesUnderTest,
});

function storesUnderTest(): Record<string, string> {
  const dataDir = required('MILLRACE_DATA_DIR');
  const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as { databaseUrl: string };
  const { encryptionKey } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as {
    encryptionKey: string;
  };
  const stores = { SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: databaseUrl, SVC_ENCRYPTION_KEY: encryptionKey };
  if (process.env['MILLRACE_QUEUE'] !== 'redis') return stores;
  const redis = new URL(required('MILLRACE_TEST_REDIS_URL'));
  redis.pathname = `/${Number(redis.pathname.slice(1) || 0) + REDIS_DATABASE}`;
  return { ...stores, SVC_REDIS_URL: redis.href };
}
