import { SettingsError } from '@millrace/settings';
import { readApiSettings, retentionDays } from './config';

const environment = {
  SVC_DATABASE_URL: 'postgres://u@h/d',
  SVC_JWT_SECRET: 'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa',
  SVC_WORKER_TOKEN: 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe',
  SVC_ENCRYPTION_KEY: '6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8',
};

describe('readApiSettings', () => {
  it('reads a good environment', () => {
    expect(readApiSettings(environment)).toMatchObject({ SVC_API_PORT: 3001, SVC_ADMIN_EMAIL: undefined });
  });

  it.each(Object.keys(environment))('names %s when it is missing', (name) => {
    expect(() => readApiSettings({ ...environment, [name]: undefined })).toThrow(SettingsError);
    expect(() => readApiSettings({ ...environment, [name]: undefined })).toThrow(name);
  });

  it.each(['0.0.0.0', '::'])('needs a public URL when it listens on %s, for its links', (SVC_HOST) => {
    const everywhere = { ...environment, SVC_HOST };

    expect(() => readApiSettings(everywhere)).toThrow(/SVC_PUBLIC_URL is not set/);
    expect(readApiSettings({ ...everywhere, SVC_PUBLIC_URL: 'https://a.example' })).toMatchObject({ SVC_HOST });
  });

  it.each([
    [{}, 30],
    [{ SVC_EXECUTION_DATA_RETENTION_DAYS: '7' }, 7],
    [{ SVC_EXECUTION_DATA_RETENTION_DAYS: '7', SVC_EXECUTION_DATA_RETENTION_HOURS: '12' }, 0.5],
  ])('tells how long data is kept from %p', (more, days) => {
    expect(retentionDays(readApiSettings({ ...environment, ...more }))).toBe(days);
  });
});
