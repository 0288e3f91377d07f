import { MaintenanceQueue } from '@millrace/domain';
import { aMaintenanceJob } from '@millrace/domain/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { LazyMaintenanceQueue } from '../queue/lazy-maintenance-queue';
import { openMaintenanceQueue } from '../queue/open-maintenance-queue';
import type { QueueSettings } from '../queue/queue-settings';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { MaintenanceQueueModule } from './maintenance-queue.module';

/** A logical database of its own. Workers of other tests would take the jobs of a shared queue. */
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'] && new URL('/8', process.env['MILLRACE_TEST_REDIS_URL']).href;

describe('MaintenanceQueueModule', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const settingsOf = (store: Partial<QueueSettings> = {}): QueueSettings => ({
    databaseUrl: database.url,
    failedJobRetentionDays: 7,
    failedJobRetentionMaxCount: 100,
    ...store,
  });
  const start = async (store: Partial<QueueSettings>): Promise<TestingModule> =>
    (await Test.createTestingModule({ imports: [MaintenanceQueueModule.forRoot(settingsOf(store))] }).compile()).init();

  const stores: [name: string, store: Partial<QueueSettings>][] = [['PostgreSQL', {}]];
  if (redisUrl) stores.push(['Redis', { redisUrl }]);

  it.each(stores)('takes jobs on %s, cleans, and leaves nothing open', async (_, store) => {
    const module = await start(store);

    await module.get(MaintenanceQueue).enqueue([aMaintenanceJob()]);

    expect(await module.get(LazyMaintenanceQueue).clean()).toBe(0);
    await expect(module.close()).resolves.toBeUndefined();
  });

  it('closes without ever having opened the queue', async () => {
    const module = await start({ redisUrl: 'redis://127.0.0.1:1' });

    await module.get(MaintenanceQueue).enqueue([]);

    await expect(module.close()).resolves.toBeUndefined();
  });

  it('refuses jobs while Redis is away, and closes', async () => {
    const module = await start({ redisUrl: 'redis://127.0.0.1:1' });

    await expect(module.get(MaintenanceQueue).enqueue([aMaintenanceJob()])).rejects.toThrow();

    await expect(module.close()).resolves.toBeUndefined();
  });

  it('gives up within its deadline when Redis accepts connections and never answers', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => socket.destroy())));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;

    const opening = openMaintenanceQueue(settingsOf({ redisUrl: `redis://127.0.0.1:${port}` }), 100);

    await expect(opening).rejects.toThrow('did not answer within 100 ms');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});
