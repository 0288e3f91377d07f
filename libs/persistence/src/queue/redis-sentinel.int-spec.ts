import { Logger } from '@nestjs/common';
import { hasRedisServer, startRedisWithSentinel, type RedisInstallation } from '../testing/redis-servers';
import { describeFailover } from '../testing/runs-through-failover';

if (hasRedisServer())
  describe('a queue in the Redis that a Sentinel names', () => {
    let redis: RedisInstallation;

    beforeAll(async () => {
      Logger.overrideLogger(false);
      redis = await startRedisWithSentinel();
    });
    afterAll(() => redis.stop());

    describeFailover('the master is killed and its replica takes over', () => redis);
  });
else
  describe.skip('a queue in the Redis that a Sentinel names (left out: there is no redis-server)', () =>
    it.todo('goes on after a failover'));
