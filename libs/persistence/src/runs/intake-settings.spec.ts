import { intakeSettings } from './intake-settings';

const LOCAL = 'postgres://user:password@127.0.0.1:5432/millrace';

const settingsFrom = (given: Record<string, number> = {}, databaseUrl = LOCAL) =>
  intakeSettings({
    SVC_DATABASE_URL: databaseUrl,
    SVC_DATABASE_SESSION_URL: undefined,
    SVC_DATA_DIR: '.data',
    SVC_INTAKE_MAX_PENDING_RUNS: 1_000_000,
    SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT: 200_000,
    SVC_INTAKE_MAX_PENDING_MB: undefined,
    SVC_INTAKE_MAX_PENDING_AGE_SECONDS: undefined,
    SVC_INTAKE_MIN_FREE_DISK_MB: 256,
    ...given,
  });

describe('the settings of intake', () => {
  it('bound runs and the disk, and nothing else, when no other is set', () => {
    expect(settingsFrom()).toEqual({
      bounds: {
        runs: 1_000_000,
        runsPerProject: 200_000,
        bytes: null,
        ageSeconds: null,
        minFreeDiskBytes: 256 * 1024 * 1024,
      },
      dataDir: '.data',
    });
  });

  it('bound bytes and age when they are set', () => {
    const given = { SVC_INTAKE_MAX_PENDING_MB: 2, SVC_INTAKE_MAX_PENDING_AGE_SECONDS: 60 };

    expect(settingsFrom(given).bounds).toMatchObject({ bytes: 2 * 1024 * 1024, ageSeconds: 60 });
  });

  it.each([
    ['this machine by its address', LOCAL, '.data'],
    ['this machine by its name', 'postgres://user@localhost/millrace', '.data'],
    ['this machine by a socket', 'postgres://user@localhost/millrace?host=/var/run/postgresql', '.data'],
    ['another machine', 'postgres://user@db.example.com/millrace', null],
  ])('look at the disk of a database on %s', (_what, url, dataDir) => {
    expect(settingsFrom({}, url).dataDir).toBe(dataDir);
  });
});
