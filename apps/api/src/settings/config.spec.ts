import { isKnownSetting, SettingsError } from '@millrace/http';
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

  it('reads only variables that the service knows', () => {
    expect(Object.keys(readApiSettings(environment)).filter((name) => !isKnownSetting(name))).toEqual([]);
  });

  it.each([
    ['https://id.example/realms/us/', true],
    ['http://localhost:8080', true],
    ['http://id.example', false],
    ['https://id.example/?realm=us', false],
    ['https://user@id.example', false],
    ['id.example', false],
  ])('takes only an issuer whose keys cannot be replaced on their way: %s', (issuer, isTaken) => {
    const read = () => readApiSettings({ ...environment, SVC_OAUTH_ISSUER: issuer, SVC_OAUTH_AUDIENCE: 'x' });
    if (isTaken) expect(read()).toMatchObject({ SVC_OAUTH_ISSUER: issuer });
    else expect(read).toThrow('SVC_OAUTH_ISSUER is wrong');
  });

  it('needs the issuer and the audience of its tokens, or neither', () => {
    expect(() => readApiSettings({ ...environment, SVC_OAUTH_ISSUER: 'https://id.example' })).toThrow(
      'SVC_OAUTH_AUDIENCE',
    );
    expect(() => readApiSettings({ ...environment, SVC_OAUTH_AUDIENCE: 'x' })).toThrow('SVC_OAUTH_ISSUER');
  });

  it.each([
    [{}, 30],
    [{ SVC_EXECUTION_DATA_RETENTION_DAYS: '7' }, 7],
    [{ SVC_EXECUTION_DATA_RETENTION_DAYS: '7', SVC_EXECUTION_DATA_RETENTION_HOURS: '12' }, 0.5],
  ])('tells how long data is kept from %p', (more, days) => {
    expect(retentionDays(readApiSettings({ ...environment, ...more }))).toBe(days);
  });
});
