import { cleanEnv } from 'envalid';
import { intakeEnv, intakeSettings } from './intake.env';

const LOCAL = 'postgres://user:password@127.0.0.1:5432/millrace';

const settingsFrom = (given: Record<string, string> = {}, databaseUrl = LOCAL) =>
  intakeSettings({ SVC_DATABASE_URL: databaseUrl, ...cleanEnv(given, intakeEnv) });

describe('the settings of intake', () => {
  it('bound runs and the disk, and nothing else, when none is set', () => {
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
    const given = { SVC_INTAKE_MAX_PENDING_MB: '2', SVC_INTAKE_MAX_PENDING_AGE_SECONDS: '60' };

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
