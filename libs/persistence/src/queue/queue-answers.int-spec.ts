import { Logger } from '@nestjs/common';
import { hasRedisServer, startRedis } from '../testing/redis-servers';
import { openJobQueue } from './open-job-queue';

const OPENED_WITHIN_MS = 10_000;

if (hasRedisServer())
  describe('queueAnswers, on Redis', () => {
    let redis: Awaited<ReturnType<typeof startRedis>>;

    beforeAll(async () => {
      Logger.overrideLogger(false);
      redis = await startRedis();
    });
    afterAll(() => redis.stop());

    it('says that Redis takes no jobs while its memory is full, and that it does again', async () => {
      const { url: redisUrl, client } = redis;
      const retention = { failedJobRetentionDays: 1, failedJobRetentionMaxCount: 10 };
      const queue = await openJobQueue({ databaseUrl: 'unused', redisUrl, ...retention }, OPENED_WITHIN_MS);
      try {
        expect(await queue.answers()).toBe(true);

        await client.config('SET', 'maxmemory', '1');
        expect(await queue.answers()).toBe('Redis has no memory left (maxmemory), and takes no jobs.');

        await client.config('SET', 'maxmemory', '0');
        expect(await queue.answers()).toBe(true);
      } finally {
        await queue.close();
      }
    });
  });
else
  describe.skip('queueAnswers, on Redis (left out: there is no redis-server)', () =>
    it.todo('says whether it takes jobs'));
