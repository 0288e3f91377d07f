import { parseRedisAddress } from './redis-address';

describe('the address of Redis', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://user:secret@redis.example:6380/2'])('names one Redis: %s', (url) => {
    expect(parseRedisAddress(url)).toEqual({ kind: 'single', url });
  });

  it('names Sentinels, the master that they watch, and its database', () => {
    expect(parseRedisAddress('redis+sentinel://a,b:5000,[::1]:5001/mymaster/3')).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 5_000 },
        { host: '::1', port: 5_001 },
      ],
      master: 'mymaster',
      database: 3,
      isSecure: false,
      credentials: {},
      sentinelCredentials: {},
    });
  });

  it('has credentials for the master, and others for the Sentinels', () => {
    const url = 'rediss+sentinel://millrace:p%40ss%3A@a/mymaster?sentinelUsername=s&sentinelPassword=t%26t';
    expect(parseRedisAddress(url)).toMatchObject({
      isSecure: true,
      database: 0,
      credentials: { username: 'millrace', password: 'p@ss:' },
      sentinelCredentials: { username: 's', password: 't&t' },
    });
  });

  it('names some nodes of a cluster', () => {
    expect(parseRedisAddress('rediss+cluster://:secret@a:7000,b')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7_000 },
        { host: 'b', port: 6_379 },
      ],
      isSecure: true,
      credentials: { password: 'secret' },
    });
  });

  it.each([
    ['another scheme', 'http://a'],
    ['no host', 'redis+cluster://'],
    ['an empty host', 'redis+cluster://a,,b'],
    ['a port that is none', 'redis+sentinel://a:x/mymaster'],
    ['Sentinels without a master', 'redis+sentinel://a,b'],
    ['a database that is no number', 'redis+sentinel://a/mymaster/first'],
    ['a database of a cluster', 'redis+cluster://a/1'],
    ['a parameter that nobody reads', 'redis+sentinel://a/mymaster?password=hunter2'],
    ['a broken escape', 'redis+cluster://u:%zzhunter2@a'],
  ])('is refused with %s, and not repeated', (_what, url) => {
    expect(() => parseRedisAddress(url)).toThrow();
    expect(() => parseRedisAddress(url)).not.toThrow('hunter2');
  });
});
