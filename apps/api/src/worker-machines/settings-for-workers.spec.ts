import { settingsForWorkers } from './settings-for-workers';

it('workers are told the settings that they share with the api, and no others', () => {
  const settings = {
    SVC_PUBLIC_URL: undefined,
    SVC_FLOW_TIMEOUT_SECONDS: 600,
    SVC_EXECUTION_DATA_RETENTION_DAYS: 30,
    SVC_EXECUTION_DATA_RETENTION_HOURS: 0.5,
    SVC_RUN_RETENTION_DAYS: 0,
    SVC_AUDIT_RETENTION_DAYS: 365,
    SVC_JWT_SECRET: 'not for workers',
  };
  expect(settingsForWorkers(settings)).toEqual({
    SVC_FLOW_TIMEOUT_SECONDS: '600',
    SVC_EXECUTION_DATA_RETENTION_DAYS: '30',
    SVC_EXECUTION_DATA_RETENTION_HOURS: '0.5',
    SVC_RUN_RETENTION_DAYS: '0',
    SVC_AUDIT_RETENTION_DAYS: '365',
  });
});
