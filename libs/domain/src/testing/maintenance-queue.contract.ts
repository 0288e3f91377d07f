// The promises of every adapter of MaintenanceQueue. The suite runs on the in-memory twin and on BullMQ over each store.

import { JOB_ATTEMPTS } from '../jobs/job-policy';
import type { MaintenanceJob } from '../jobs/maintenance-jobs';
import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import { aMaintenanceJob } from './a-maintenance-job';

/** An empty queue, whose worker executes one job at a time in up to JOB_ATTEMPTS attempts. */
export interface MaintenanceQueueUnderTest {
  queue: MaintenanceQueue;
  /** Executes the jobs, and resolves when `process` has been called so many times. */
  work(process: (job: MaintenanceJob) => Promise<void>, calls: number): Promise<void>;
  close(): Promise<void>;
}

export function describeMaintenanceQueue(name: string, makeQueue: () => Promise<MaintenanceQueueUnderTest>): void {
  describe(`MaintenanceQueue: ${name}`, () => {
    let subject: MaintenanceQueueUnderTest;

    beforeEach(async () => {
      subject = await makeQueue();
    });
    afterEach(() => subject.close());

    /** The jobs in the order in which a worker gets them. */
    async function received(
      calls: number,
      process: () => Promise<void> = async () => undefined,
    ): Promise<MaintenanceJob[]> {
      const jobs: MaintenanceJob[] = [];
      await subject.work((job) => {
        jobs.push(job);
        return process();
      }, calls);
      return jobs;
    }

    it('hands a job of each kind to the worker, as it was enqueued', async () => {
      const jobs = (['PollingJob', 'RenewWebhookJob', 'EventDestinationJob'] as const).map((kind) =>
        aMaintenanceJob({ kind, epoch: 7 }),
      );

      await subject.queue.enqueue(jobs);

      expect(await received(jobs.length)).toEqual(jobs);
    });

    it('takes an empty list', async () => {
      await expect(subject.queue.enqueue([])).resolves.toBeUndefined();
    });

    it('takes a job once for each claim of its row', async () => {
      const [first, next] = [1, 2].map((epoch) => aMaintenanceJob({ rowId: 'row', epoch }));

      await subject.queue.enqueue([first!, first!]);
      await subject.queue.enqueue([first!, next!]);

      expect(await received(2)).toEqual([first, next]);
    });

    it('lets no project wait for the many jobs of another, and nobody who waits for an outcome', async () => {
      const many = Array.from({ length: 10 }, () => aMaintenanceJob({ projectId: 'many' }));
      const few = aMaintenanceJob({ projectId: 'few' });
      const awaited = aMaintenanceJob({ kind: 'TriggerHookJob', projectId: 'many' });

      await subject.queue.enqueue(many);
      await subject.queue.enqueue([few]);
      await subject.queue.enqueue([awaited]);

      const order = await received(12);
      expect(order).toEqual([awaited, ...many.slice(0, 8), few, ...many.slice(8)]);
    });

    it('tries a failing job again, so often and no more', async () => {
      const [failing, after] = [aMaintenanceJob(), aMaintenanceJob()];
      await subject.queue.enqueue([failing]);

      const attempts = await received(JOB_ATTEMPTS, () => Promise.reject(new Error('The database is away.')));
      await subject.queue.enqueue([failing, after]);

      expect(attempts).toEqual(Array(JOB_ATTEMPTS).fill(failing));
      expect(await received(1)).toEqual([after]);
    });
  });
}
