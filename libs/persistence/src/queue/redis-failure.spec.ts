import { redisFailure } from './redis-failure';

const failed = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

describe('redisFailure', () => {
  it.each([
    [
      failed('connect ECONNREFUSED 127.0.0.1:6379', { code: 'ECONNREFUSED' }),
      'Redis cannot be reached (connect ECONNREFUSED 127.0.0.1:6379): look at SVC_REDIS_URL.',
    ],
    [
      failed('getaddrinfo ENOTFOUND redis', { code: 'ENOTFOUND' }),
      'Redis cannot be reached (getaddrinfo ENOTFOUND redis): look at SVC_REDIS_URL.',
    ],
    [
      failed('WRONGPASS invalid username-password pair or user is disabled.'),
      'Redis refuses the user or the password in SVC_REDIS_URL.',
    ],
    [failed('NOAUTH Authentication required.'), 'Redis asks for a password, and SVC_REDIS_URL has none.'],
    [failed('ERR DB index is out of range'), 'Redis does not have the database whose number SVC_REDIS_URL ends with.'],
    [
      failed(
        'Reached the max retries per request limit (which is 1). Refer to "maxRetriesPerRequest" option for details.',
      ),
      'Redis is not connected (SVC_REDIS_URL).',
    ],
    [failed('Connection is closed.'), 'Redis is not connected (SVC_REDIS_URL).'],
    [failed('read ECONNRESET', { code: 'ECONNRESET' }), 'A connection to Redis (SVC_REDIS_URL) broke: read ECONNRESET'],
    [
      failed('wrong version number', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
      'Redis cannot be reached by TLS (wrong version number): look at SVC_REDIS_URL and NODE_EXTRA_CA_CERTS.',
    ],
    [
      failed('All sentinels are unreachable. Retrying from scratch after 10ms. Last error: Connection is closed.'),
      'No Sentinel in SVC_REDIS_URL answers and knows a master of that name.',
    ],
    [
      failed('Failed to refresh slots cache.', {
        name: 'ClusterAllFailedError',
        lastNodeError: failed('NOAUTH Authentication required.'),
      }),
      'No node of the Redis Cluster in SVC_REDIS_URL answers. Redis asks for a password, and SVC_REDIS_URL has none.',
    ],
    [failed('Missing lock for job 7'), null],
  ])('says %s in a sentence', (error, sentence) => {
    expect(redisFailure(error)).toBe(sentence);
  });
});
