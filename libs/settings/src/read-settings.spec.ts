import { readSettings, readSome, settingsReadBy, SettingsError } from './read-settings';
import { SETTINGS, type KnownSetting } from './schema/schema';
import { READERS, type App, type Environment, type Setting, type Settings } from './value-types/setting';

const KEY = '6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8';
const gateway = { SVC_DATABASE_URL: 'postgres://u@h/d', SVC_WEBHOOK_KEY: KEY };
const read = (environment: Environment) => readSettings('webhook-gateway', { ...gateway, ...environment });
const readOne = <Name extends KnownSetting>(name: Name, text: string) => readSome([name], { [name]: text })[name];

describe('readSettings', () => {
  it('reads numbers, lists and defaults, and counts an empty variable as not set', () => {
    expect(read({ SVC_PORT: '8080', SVC_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8', SVC_HOST: '' })).toMatchObject({
      SVC_PORT: 8080,
      SVC_TRUSTED_PROXIES: ['loopback', '10.0.0.0/8'],
      SVC_HOST: '127.0.0.1',
      SVC_LOG_LEVEL: 'info',
      SVC_REDIS_URL: undefined,
    });
  });

  it('reads what the app reads, and nothing else', () => {
    const names = Object.keys(read({ SVC_WORKER_CONCURRENCY: '5' }));
    expect(names.sort()).toEqual(settingsReadBy('webhook-gateway').sort());
    expect(names).not.toContain('SVC_WORKER_CONCURRENCY');
  });

  it('names every variable that is missing or wrong, with what it is for and what is allowed', () => {
    const wrong = { SVC_PORT: '70000', SVC_LOG_LEVEL: 'loud', SVC_WEBHOOK_KEY: '' };
    expect(() => read(wrong)).toThrow(SettingsError);
    expect(() => read(wrong)).toThrow(
      [
        'SVC_PORT is wrong (the port of the gateway, which is the port of the one base URL): it must be a port from 0 to 65535.',
        'SVC_LOG_LEVEL is wrong (the least severe log lines to write; logs are JSON with secrets masked): it must be one of fatal, error, warn, info, debug, trace, silent.',
        'SVC_WEBHOOK_KEY is not set (opens the secrets of webhooks: the key of the gateway, which belongs to the encryption key): it must be 32 random bytes, as 64 hexadecimal digits or as base64.',
      ].join('\n'),
    );
  });

  it.each([
    ['SVC_OAUTH_AUDIENCE', { SVC_OAUTH_ISSUER: 'https://id.example' }],
    ['SVC_OAUTH_ISSUER', { SVC_OAUTH_AUDIENCE: 'x' }],
    ['SVC_S3_BUCKET', { SVC_FILE_STORAGE: 'S3' }],
    ['SVC_QUEUE_UI_PASSWORD', { SVC_QUEUE_UI_ENABLED: 'yes' }],
    ['SVC_QUEUE_UI_PASSWORD', { SVC_QUEUE_UI_ENABLED: 'true', SVC_QUEUE_UI_PASSWORD: '' }],
    ['SVC_S3_SECRET_ACCESS_KEY', { SVC_FILE_STORAGE: 'S3', SVC_S3_BUCKET: 'millrace' }],
  ] as const)('needs %s with %j', (name, others) => {
    expect(() => readSome([name], others)).toThrow(`${name} is not set`);
    expect(readSome([name], {})[name]).toBeUndefined();
  });
});

describe('the schema', () => {
  const all = Object.entries(SETTINGS as Settings) as [KnownSetting, Setting][];

  it.each(all)('%s has a default that its type takes, a meaning and readers', (name, setting) => {
    const { default: value, meaning, readBy } = setting;
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      expect(readOne(name, String(value))).toEqual(value);
    expect(meaning).toMatch(/^.+[^.]$/);
    expect(meaning.replaceAll('`', '')).not.toMatch(/\b(basic|bearer)\s/i); // the next word would be masked in a message
    expect(readBy.length).toBeGreaterThan(0);
    expect(READERS).toEqual(expect.arrayContaining([...readBy]));
  });

  it('marks every key, password, token and secret as one', () => {
    const names = all.filter(([name]) => /(KEY|SECRET|PASSWORD|TOKEN)$/.test(name));
    expect(names.filter(([, { isSecret }]) => !isSecret)).toEqual([]);
  });

  it('gives no app the keys of the others', () => {
    const appsOf = (name: KnownSetting) => (SETTINGS as Settings)[name]?.readBy.filter((app) => app !== 'npm start');
    const expected: Partial<Record<KnownSetting, App[]>> = {
      SVC_ADMIN_API_KEY: ['api'],
      SVC_ADMIN_PASSWORD: ['api'],
      SVC_JWT_SECRET: ['api'],
      SVC_JWT_PREVIOUS_SECRET: ['api'],
      SVC_ENCRYPTION_KEY: ['api', 'worker'],
      SVC_ENCRYPTION_PREVIOUS_KEY: ['api', 'worker'],
      SVC_WEBHOOK_KEY: ['webhook-gateway'],
      SVC_WEBHOOK_PREVIOUS_KEY: ['webhook-gateway'],
      SVC_WORKER_TOKEN: ['api', 'worker'],
      SVC_QUEUE_UI_PASSWORD: ['api'],
    };
    const given = Object.keys(expected).map((name) => [name, appsOf(name as KnownSetting)]);
    expect(Object.fromEntries(given)).toEqual(expected);
  });
});

describe('the types of settings', () => {
  it.each<[KnownSetting, string]>([
    ['SVC_DATABASE_URL', 'postgres://flow@127.0.0.1:5432/flow'],
    ['SVC_DATABASE_URL', 'postgresql://u:p%40ss@db/millrace?sslmode=require'],
    ['SVC_REDIS_URL', 'rediss://user:secret@redis.example:6380/2'],
    ['SVC_REDIS_URL', 'redis+sentinel://a:26379,b:26379/mymaster/0'],
    ['SVC_REDIS_URL', 'rediss+cluster://:secret@a:7000,b:7001'],
    ['SVC_OAUTH_ISSUER', 'https://id.example/realms/us/'],
    ['SVC_OAUTH_ISSUER', 'http://localhost:8080'],
    ['SVC_JWT_SECRET', 'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa'],
    ['SVC_WORKER_TOKEN', 'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa'],
    ['SVC_QUEUE_UI_PASSWORD', 'q8Zk2vX1mN5r'],
  ])('%s takes %s as it is', (name, text) => {
    expect(readOne(name, text)).toBe(text);
  });

  it.each<[KnownSetting, string]>([
    ['SVC_DATABASE_URL', 'mysql://localhost/flow'],
    ['SVC_DATABASE_URL', 'postgres://localhost'],
    ['SVC_REDIS_URL', 'http://localhost:6379'],
    ['SVC_REDIS_URL', 'redis+sentinel://a,b'],
    ['SVC_REDIS_FAILED_JOB_RETENTION_DAYS', '1.5'],
    ['SVC_REDIS_FAILED_JOB_RETENTION_DAYS', '0'],
    ['SVC_PUBLIC_URL', 'ftp://x'],
    ['SVC_TRUSTED_PROXIES', 'everyone'],
    ['SVC_API_CORS_ORIGINS', 'example.com'],
    ['SVC_OAUTH_ISSUER', 'http://id.example'],
    ['SVC_OAUTH_ISSUER', 'https://id.example/?realm=us'],
    ['SVC_OAUTH_ISSUER', 'https://user@id.example'],
    ['SVC_OAUTH_ISSUER', 'id.example'],
    ['SVC_SANDBOX_MEMORY_LIMIT', '0'],
    ['SVC_SANDBOX_MEMORY_LIMIT', 'much'],
    ['SVC_SANDBOX_CPU_SECONDS', '-1'],
    ['SVC_SANDBOX_CPU_SECONDS', ' '],
    ['SVC_SANDBOX_SLEEP_MEMORY', '-5'],
    ['SVC_SANDBOX_THREADS', '1.5'],
    ['SVC_PIECE_PACKAGES', 'all'],
    ['SVC_PIECE_ISOLATION', 'none'],
    ['SVC_PIECE_MEMORY_LIMIT', '127'],
    ['SVC_PIECE_TIMEOUT_SECONDS', '3601'],
    ['SVC_PIECE_HOSTS', '0'],
    ['SVC_S3_BUCKET', 'UPPER'],
    ['SVC_FILE_STORAGE', 'DISK'],
    ['SVC_SIGN_UP_ENABLED', 'maybe'],
    ['SVC_ADMIN_EMAIL', 'nobody'],
    ['SVC_ADMIN_PASSWORD', 'short'],
    ['SVC_ADMIN_API_KEY', 'sk-1'],
    ['SVC_QUEUE_UI_PASSWORD', 'q8Zk2vX1mN5'],
    ['SVC_QUEUE_UI_PASSWORD', 'change-me-please'],
    ['SVC_QUEUE_UI_USERNAME', 'a:b'],
    ['SVC_EXECUTION_DATA_RETENTION_HOURS', '0'],
  ])('%s is not %s', (name, text) => {
    expect(() => readOne(name, text)).toThrow(`${name} is wrong`);
  });

  it('takes slashes from the end of URLs, and reads what is on or off', () => {
    expect(readOne('SVC_PUBLIC_URL', 'https://flows.example.com//')).toBe('https://flows.example.com');
    expect(readOne('SVC_SIGN_UP_ENABLED', 'TRUE')).toBe(true);
    expect(readOne('SVC_SIGN_UP_ENABLED', '0')).toBe(false);
  });

  it('names the entry of the allow list that is wrong', () => {
    const list = '127.0.0.1,localhost:80';
    expect(() => readOne('SVC_SSRF_ALLOW_LIST', list)).toThrow('"localhost:80" is not an IP address');
  });
});

describe('a secret', () => {
  it.each([
    ['short', 'too-short'],
    ['an example', 'please-change-me-please-change-me-1'],
    ['one character', 'a'.repeat(40)],
    ['a row of digits', '0123456789abcdef0123456789abcdef'],
  ])('is refused when it is %s, without being repeated', (_what, value) => {
    expect(() => readOne('SVC_JWT_SECRET', value)).toThrow(/^SVC_JWT_SECRET is wrong/);
    expect(() => readOne('SVC_JWT_SECRET', value)).not.toThrow(value);
  });

  it.each([
    'an example token of a document, 32',
    'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0p Sa',
    'ü8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa',
  ])('that is sent in a header is not "%s"', (value) =>
    expect(() => readOne('SVC_WORKER_TOKEN', value)).toThrow(/only visible ASCII characters/),
  );

  it('of 32 bytes is hexadecimal digits or base64', () => {
    const bytes = Buffer.from(KEY, 'hex');
    expect(readOne('SVC_ENCRYPTION_KEY', KEY)).toEqual(bytes);
    expect(readOne('SVC_ENCRYPTION_KEY', bytes.toString('base64'))).toEqual(bytes);
    for (const wrong of ['abc', 'f'.repeat(64), Buffer.from('short').toString('base64')])
      expect(() => readOne('SVC_ENCRYPTION_KEY', wrong)).toThrow(SettingsError);
  });
});
