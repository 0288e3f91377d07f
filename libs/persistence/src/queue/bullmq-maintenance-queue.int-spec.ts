import { randomUUID } from 'node:crypto';
import type { MaintenanceJob, MaintenanceJobKind } from '@millrace/domain';
import { aMaintenanceJob, describeMaintenanceQueue, type MaintenanceQueueUnderTest } from '@millrace/domain/testing';
import { Worker, type Job } from 'bullmq';
import { BullMqMaintenanceQueue, type MaintenancePayload } from './bullmq-maintenance-queue';
import { LeanPostgresBackend } from './lean-postgres-backend';
import { ListenedQueue } from './listened-queue';
import { MaintenanceWorker } from './maintenance-worker';
import { queueOptions, maintenanceWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };

type BullQueue = ListenedQueue<MaintenancePayload, void, MaintenanceJobKind>;

async function openQueue(settings: QueueSettings): Promise<BullQueue> {
  useQueueStore(settings);
  const queue: BullQueue = new ListenedQueue(`maintenance-${randomUUID()}`, queueOptions(settings));
  await queue.waitUntilReady();
  return queue;
}

/** A worker that closes when it has executed so many attempts and the queue counts the last job as finished. */
async function work(
  { name }: BullQueue,
  settings: QueueSettings,
  process: (job: MaintenanceJob) => Promise<void>,
  calls: number,
): Promise<void> {
  let called = 0;
  const worker = new Worker<MaintenancePayload, void, MaintenanceJobKind>(
    name,
    (job: Job<MaintenancePayload, void, MaintenanceJobKind>) => {
      called++;
      return process({ kind: job.name, ...job.data } as MaintenanceJob);
    },
    maintenanceWorkerOptions(settings, 1),
  );
  await new Promise<void>((resolve) => {
    const ended = (): void => void (called >= calls && resolve());
    worker.on('completed', ended);
    worker.on('failed', ended);
  });
  const backend = worker.getBackend();
  if (backend instanceof LeanPostgresBackend) await backend.writeHeld();
  await worker.close();
}

async function bullMqOver(settings: QueueSettings): Promise<MaintenanceQueueUnderTest> {
  const bullQueue = await openQueue(settings);
  return {
    queue: new BullMqMaintenanceQueue(bullQueue),
    work: (process, calls) => work(bullQueue, settings, process, calls),
    close: async () => {
      await bullQueue.obliterate({ force: true });
      await bullQueue.close();
    },
  };
}

function describeWorker(name: string, settings: QueueSettings): void {
  describe(`MaintenanceWorker: ${name}`, () => {
    it('executes several jobs at once, and waits for those in hand when it closes', async () => {
      const bullQueue = await openQueue(settings);
      const jobs = [aMaintenanceJob(), aMaintenanceJob()];
      let finish: () => void = () => undefined;
      const mayFinish = new Promise<void>((resolve) => (finish = resolve));
      let begin: () => void = () => undefined;
      const bothBegan = new Promise<void>((resolve) => (begin = resolve));
      const began: MaintenanceJob[] = [];
      const ended: MaintenanceJob[] = [];
      await new BullMqMaintenanceQueue(bullQueue).enqueue(jobs);
      const worker = new MaintenanceWorker(
        settings,
        async (job) => {
          if (began.push(job) === jobs.length) begin();
          await mayFinish;
          ended.push(job);
        },
        2,
        bullQueue.name,
      );
      await bothBegan;

      await worker.takeNoMore();
      await new BullMqMaintenanceQueue(bullQueue).enqueue([aMaintenanceJob()]);
      const closed = worker.close();
      finish();
      await closed;

      expect(ended).toHaveLength(2);
      expect(began).toHaveLength(2);
      await bullQueue.obliterate({ force: true });
      await bullQueue.close();
    });
  });
}

describeMaintenanceQueue('BullMQ on PostgreSQL', () => bullMqOver({ databaseUrl, ...retention }));
describeWorker('on PostgreSQL', { databaseUrl, ...retention });

if (redisUrl) {
  describeMaintenanceQueue('BullMQ on Redis', () => bullMqOver({ databaseUrl, redisUrl, ...retention }));
  describeWorker('on Redis', { databaseUrl, redisUrl, ...retention });
} else
  describe.skip('MaintenanceQueue: BullMQ on Redis (left out: MILLRACE_TEST_REDIS_URL is not set)', () =>
    it.todo('runs with a Redis'));
