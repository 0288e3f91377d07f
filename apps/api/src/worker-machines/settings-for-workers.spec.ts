import { settingsForWorkers } from './settings-for-workers';

describe('settingsForWorkers', () => {
  const settings = {
    SVC_HOST: '127.0.0.1',
    SVC_PORT: 8080,
    SVC_PUBLIC_URL: 'https://flows.example.com',
    SVC_FLOW_TIMEOUT_SECONDS: 600,
    SVC_EXECUTION_DATA_RETENTION_DAYS: 30,
    SVC_EXECUTION_DATA_RETENTION_HOURS: 0.5,
    SVC_RUN_RETENTION_DAYS: 0,
    SVC_AUDIT_RETENTION_DAYS: 365,
    SVC_PIECE_PACKAGES: 'admin' as const,
    SVC_JWT_SECRET: 'not for workers',
  };

  it('tells the settings that workers share with the api, and no others', () => {
    expect(settingsForWorkers(settings)).toEqual({
      SVC_PUBLIC_URL: 'https://flows.example.com',
      SVC_FLOW_TIMEOUT_SECONDS: '600',
      SVC_EXECUTION_DATA_RETENTION_DAYS: '30',
      SVC_EXECUTION_DATA_RETENTION_HOURS: '0.5',
      SVC_RUN_RETENTION_DAYS: '0',
      SVC_AUDIT_RETENTION_DAYS: '365',
      SVC_PIECE_PACKAGES: 'admin',
    });
  });

  it('tells where the links of the api begin when no public URL is set', () => {
    expect(settingsForWorkers({ ...settings, SVC_PUBLIC_URL: undefined })).toMatchObject({
      SVC_PUBLIC_URL: 'http://127.0.0.1:8080',
    });
  });
});
