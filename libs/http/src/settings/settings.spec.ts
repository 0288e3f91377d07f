import { httpEnv } from './http.env';
import { encryptionKey, secret, workerTokenEnv } from './secrets.env';
import { readSettings, SettingsError } from './settings';

const silent = (): void => undefined;

describe('readSettings', () => {
  it('reads numbers, lists and defaults, and counts an empty variable as not set', () => {
    const settings = readSettings(httpEnv, {
      SVC_PORT: '8080',
      SVC_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8',
      SVC_HOST: '',
    });
    expect(settings).toMatchObject({
      SVC_PORT: 8080,
      SVC_TRUSTED_PROXIES: ['loopback', '10.0.0.0/8'],
      SVC_HOST: '127.0.0.1',
      SVC_LOG_LEVEL: 'info',
    });
  });

  it.each([
    [{ SVC_PORT: '70000' }, /SVC_PORT .*0 to 65535/],
    [{ SVC_LOG_LEVEL: 'loud' }, /SVC_LOG_LEVEL .*fatal, error/],
    [{ SVC_PUBLIC_URL: 'ftp://x' }, /SVC_PUBLIC_URL .*http or https/],
    [{ SVC_TRUSTED_PROXIES: 'everyone' }, /SVC_TRUSTED_PROXIES/],
  ])('refuses %j and names the variable and what is allowed', (environment, message) => {
    expect(() => readSettings(httpEnv, environment)).toThrow(SettingsError);
    expect(() => readSettings(httpEnv, environment)).toThrow(message);
  });

  it('names a variable that is missing', () => {
    expect(() => readSettings({ SVC_JWT_SECRET: secret() }, {})).toThrow('SVC_JWT_SECRET is not set');
  });

  it('warns of a variable that nothing reads, and not of those of other apps', () => {
    const lines: string[] = [];
    const read = { SVC_REDIS_URL: 'redis://x', SVC_S3_BUCKET: 'b' };
    const environment = { ...read, SVC_PROT: '1', SVC_QUEUE_UI_ENABLED: 'true', SVC_S3_SHAPE: 'x' };
    readSettings(httpEnv, environment, (line) => lines.push(line));
    expect(lines).toEqual(
      ['SVC_PROT', 'SVC_QUEUE_UI_ENABLED', 'SVC_S3_SHAPE'].map(
        (name) => `Warning: ${name} is not a setting that this version reads; it is ignored.`,
      ),
    );
  });
});

describe('secret', () => {
  const read = (value: string): string =>
    readSettings({ SVC_JWT_SECRET: secret() }, { SVC_JWT_SECRET: value }, silent).SVC_JWT_SECRET;

  it.each([
    ['short', 'too-short'],
    ['an example', 'please-change-me-please-change-me-1'],
    ['one character', 'a'.repeat(40)],
    ['a row of digits', '0123456789abcdef0123456789abcdef'],
  ])('refuses one that is %s, without repeating it', (_what, value) => {
    expect(() => read(value)).toThrow(/^SVC_JWT_SECRET is wrong/);
    expect(() => read(value)).not.toThrow(value);
  });

  it('takes one that is long and random', () => {
    expect(read('q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa')).toHaveLength(32);
  });
});

describe('the worker token', () => {
  const read = (value: string): string =>
    readSettings(workerTokenEnv, { SVC_WORKER_TOKEN: value }, silent).SVC_WORKER_TOKEN;

  it('has at least 32 characters', () => {
    expect(() => read('q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pS')).toThrow(
      /^SVC_WORKER_TOKEN is wrong .*at least 32 characters/,
    );
    expect(read('q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa')).toHaveLength(32);
  });

  it.each([
    'an example token of a document, 32',
    'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0p Sa',
    'ü8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa',
  ])('can be sent in a header, which "%s" cannot', (value) =>
    expect(() => read(value)).toThrow(/only visible ASCII characters/),
  );
});

describe('encryptionKey', () => {
  const read = (value: string): Buffer =>
    readSettings({ SVC_ENCRYPTION_KEY: encryptionKey() }, { SVC_ENCRYPTION_KEY: value }, silent).SVC_ENCRYPTION_KEY;
  const bytes = Buffer.from('6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8', 'hex');

  it('takes 32 bytes as hexadecimal digits or as base64', () => {
    expect(read(bytes.toString('hex'))).toEqual(bytes);
    expect(read(bytes.toString('base64'))).toEqual(bytes);
  });

  it.each(['abc', 'f'.repeat(64), Buffer.from('short').toString('base64')])('refuses %s', (value) => {
    expect(() => read(value)).toThrow(SettingsError);
  });
});
