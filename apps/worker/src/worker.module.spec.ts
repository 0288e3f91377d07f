import 'reflect-metadata';
import { MaintenanceModule } from '@millrace/persistence';
import type { DynamicModule, ValueProvider } from '@nestjs/common';
import { readConfig } from './settings/config';
import { WorkerModule } from './worker.module';

const KEY = '6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8';
const SETTINGS = {
  SVC_DATABASE_URL: 'postgres://millrace@localhost/flows',
  SVC_ENCRYPTION_KEY: KEY,
  SVC_WORKER_TOKEN: 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe',
};
const REDIS = { SVC_REDIS_URL: 'redis://localhost' };
const HEARTBEAT = { registration: { tell: jest.fn(), apiUrl: 'http://api' }, everyMs: 10_000, stop: jest.fn() };

function leads(queue: Record<string, string>, queueOfApi: string | undefined): unknown {
  const config = readConfig({ ...SETTINGS, ...queue });
  const { imports = [] } = WorkerModule.forRoot(config, HEARTBEAT, { queue: queueOfApi });
  const maintenance = (imports as DynamicModule[]).find(({ module }) => module === MaintenanceModule);
  const [settings] = maintenance?.providers ?? [];
  return (settings as ValueProvider<{ leads: boolean }>).useValue.leads;
}

describe('WorkerModule', () => {
  it('takes part in the periodic duties when its api has the same queue, or does not say which', () => {
    expect(leads({}, 'POSTGRESQL')).toBe(true);
    expect(leads(REDIS, 'REDIS')).toBe(true);
    expect(leads({}, undefined)).toBe(true);
  });

  it('takes no part in them when its api puts jobs elsewhere', () => {
    expect(leads(REDIS, 'POSTGRESQL')).toBe(false);
    expect(leads({}, 'REDIS')).toBe(false);
  });
});
