import { withSettingsOfApi } from './settings-of-api';

const told = {
  SVC_PUBLIC_URL: 'https://flows.example.com',
  SVC_FLOW_TIMEOUT_SECONDS: '300',
  SVC_EXECUTION_DATA_RETENTION_DAYS: '30',
  SVC_EXECUTION_DATA_RETENTION_HOURS: '12',
};

describe('withSettingsOfApi', () => {
  it('takes what the environment of the worker does not have', () => {
    expect(withSettingsOfApi({ SVC_FLOW_TIMEOUT_SECONDS: '600', SVC_PUBLIC_URL: '' }, told)).toMatchObject({
      ...told,
      SVC_FLOW_TIMEOUT_SECONDS: '600',
    });
  });

  it('takes no other settings, whatever the api says', () => {
    const strange = { ...told, SVC_DATABASE_URL: 'postgres://elsewhere', PATH: '/tmp' };
    expect(Object.keys(withSettingsOfApi({}, strange))).not.toEqual(expect.arrayContaining(['SVC_DATABASE_URL']));
    expect(withSettingsOfApi({ PATH: '/bin' }, strange)).toMatchObject({ PATH: '/bin' });
  });

  it('leaves the hours of retention where the worker has days of its own', () => {
    const own = { SVC_EXECUTION_DATA_RETENTION_DAYS: '7' };
    const environment = withSettingsOfApi(own, told);
    expect(environment).toMatchObject(own);
    expect(environment['SVC_EXECUTION_DATA_RETENTION_HOURS']).toBeUndefined();
  });
});
