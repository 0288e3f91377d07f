import { randomUUID } from 'node:crypto';
import {
  EntityNotFoundError,
  executeFlowJob,
  JobNotFailedError,
  type JobKind,
  type MaintenanceJobKind,
} from '@millrace/domain';
import { aMaintenanceJob } from '@millrace/domain/testing';
import { Worker, type Queue } from 'bullmq';
import { SharedQueues, type AllQueues } from './all-queues';
import { BullMqFailedJobs } from './bullmq-failed-jobs';
import type { MaintenancePayload } from './bullmq-maintenance-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';
import type { RunJobData } from './run-queue';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };
const STORES: [string, QueueSettings][] = [['PostgreSQL', { databaseUrl, ...retention }]];
if (redisUrl) STORES.push(['Redis', { databaseUrl, redisUrl, ...retention }]);

describe.each(STORES)('the failed jobs of the queues in %s', (_, settings) => {
  const names = { runs: `runs-${randomUUID()}`, maintenance: `maintenance-${randomUUID()}` };

  const open = (): AllQueues => {
    useQueueStore(settings);
    const runs = new ListenedQueue<RunJobData, void, JobKind>(names.runs, queueOptions(settings));
    const maintenance = new ListenedQueue<MaintenancePayload, void, MaintenanceJobKind>(
      names.maintenance,
      queueOptions(settings),
    );
    return { runs, maintenance, close: async () => void (await Promise.all([runs.close(), maintenance.close()])) };
  };

  /** Executes the one job of the queue until it has failed for the last time. */
  const fail = async ({ name }: Queue, reason: string): Promise<void> => {
    const work = () => Promise.reject(new Error(reason));
    const worker = new Worker(name, work, queueWorkerOptions(settings, { concurrency: 1 }));
    await new Promise<void>((resolve) => worker.on('failed', (job) => job?.finishedOn && resolve()));
    await worker.close();
  };

  it('are listed with their reasons and what they were about, those first that failed last', async () => {
    const { runs, maintenance, close } = open();
    const background = aMaintenanceJob();
    const run = executeFlowJob({ id: randomUUID(), flowVersionId: 'version', projectId: 'project' });
    const { rowId, epoch, data } = background;
    await maintenance.add(background.kind, { rowId, epoch, data }, { attempts: 1, jobId: randomUUID(), priority: 1 });
    await fail(maintenance, 'the source is away');
    const { id } = await runs.add('ExecuteFlowJob', { runs: [run] }, { jobId: randomUUID(), priority: 1, attempts: 1 });
    await fail(runs, 'the database is away');

    const shared = new SharedQueues(() => Promise.resolve(open()));
    const failed = new BullMqFailedJobs(shared);
    const listed = await failed.list(10);

    expect(listed).toEqual([
      {
        ...{ id, queue: 'flow-runs', kind: 'ExecuteFlowJob', failedAt: expect.any(Date), attempts: 1 },
        ...{ reason: 'the database is away', runs: [run] },
      },
      {
        ...{ id: expect.any(String), queue: 'maintenance', kind: background.kind, failedAt: expect.any(Date) },
        ...{ attempts: 1, reason: 'the source is away', rowId: background.rowId, data: background.data },
      },
    ]);
    expect(await failed.list(1)).toEqual(listed.slice(0, 1));

    for (const job of listed) await failed.retry(job.id);

    expect(await failed.list(10)).toEqual([]);
    for (const queue of [runs, maintenance]) expect(await queue.getPrioritizedCount()).toBe(1);
    await expect(failed.retry(listed[1]?.id ?? '')).rejects.toThrow(JobNotFailedError);
    await expect(failed.retry(randomUUID())).rejects.toThrow(EntityNotFoundError);
    await Promise.all([runs.obliterate({ force: true }), maintenance.obliterate({ force: true })]);
    await Promise.all([shared.close(), close()]);
  });
});

describe('the queues in which failed jobs are looked up', () => {
  function setUp(answer: () => Promise<never[]>) {
    const queue = { getFailed: jest.fn(answer) };
    const close = jest.fn(() => Promise.resolve());
    const open = jest.fn(() => Promise.resolve({ runs: queue, maintenance: queue, close } as unknown as AllQueues));
    return { open, close, failed: new BullMqFailedJobs(new SharedQueues(open), 20) };
  }

  it('are opened once for all calls', async () => {
    const { open, close, failed } = setUp(() => Promise.resolve([]));

    await Promise.all([failed.list(1), failed.list(1)]);
    await failed.list(1);

    expect(open).toHaveBeenCalledTimes(1);
    expect(close).not.toHaveBeenCalled();
  });

  it('are opened anew after a call that got no answer in time', async () => {
    const { open, close, failed } = setUp(() => new Promise(() => undefined));

    await expect(failed.list(1)).rejects.toThrow('did not answer within 20 ms');
    await expect(failed.list(1)).rejects.toThrow('did not answer');

    expect(open).toHaveBeenCalledTimes(2);
    expect(close).toHaveBeenCalledTimes(2);
  });
});
