import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { hasRedisServer, startRedisWithSentinel, type RedisInstallation } from '../testing/redis-servers';
import { describeFailover } from '../testing/runs-through-failover';
import { redisProducer } from './redis-connection';

if (hasRedisServer())
  describe('a queue in the Redis that a Sentinel names', () => {
    let redis: RedisInstallation;

    beforeAll(async () => {
      Logger.overrideLogger(false);
      redis = await startRedisWithSentinel();
    });
    afterAll(() => redis.stop());

    it('asks the next Sentinel when the first accepts connections and does not answer', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const url = redis.url.replace('://', `://127.0.0.1:${port},`);
      const client = new Redis({ ...(redisProducer(url) as RedisOptions), enableOfflineQueue: true });

      await expect(client.ping()).resolves.toBe('PONG');

      client.disconnect();
      silent.close();
    });

    describeFailover('the master is killed and its replica takes over', () => redis);
  });
else
  describe.skip('a queue in the Redis that a Sentinel names (left out: there is no redis-server)', () =>
    it.todo('goes on after a failover'));
