import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import {
  executeFlowJob,
  FairSlots,
  MAX_RUNS_PER_JOB,
  type RunJob,
  type RunRoom,
  SPARE_RUNS,
  type SlotTicket,
} from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { Queue, type Job } from 'bullmq';
import { BullMqJobQueue } from './bullmq-job-queue';
import type { RunJobData, RunQueue } from './run-queue';
import { queueOptions, queueWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';
import { RunWorker } from './run-worker';
import { roomIn } from './testing/room-in';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };

const aJob = (projectId: string, runs: number, priority: RunJob['priority'] = 5): RunJob => ({
  jobId: randomUUID(),
  priority,
  runs: Array.from({ length: runs }, () => executeFlowJob({ id: randomUUID(), flowVersionId: 'version', projectId })),
});

/** A worker whose runs take slots and do what the test tells them to do. */
class SlottedWorker {
  readonly slots: FairSlots;
  readonly begun: string[] = [];
  private readonly worker: RunWorker;

  constructor(
    name: string,
    settings: QueueSettings,
    slots: number,
    private readonly run: (ticket: SlotTicket, projectId: string) => Promise<void>,
  ) {
    this.slots = new FairSlots(slots, slots);
    const options = queueWorkerOptions(settings, { room: roomIn(this.slots) });
    this.worker = new RunWorker(name, (job: Job<RunJobData>) => this.process(job), options);
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  /** Ends the looks at the first job that a timer makes. */
  stopLooking(): void {
    clearInterval(this.looks.looking);
  }

  look(): Promise<void> {
    return this.looks.lookAhead();
  }

  private get looks(): { looking: NodeJS.Timeout; lookAhead(): Promise<void> } {
    return this.worker as unknown as { looking: NodeJS.Timeout; lookAhead(): Promise<void> };
  }

  private async process({ data: { runs } }: Job<RunJobData>): Promise<void> {
    await Promise.all(
      runs.map(async ({ projectId }) => {
        const ticket = this.slots.take(projectId);
        await ticket.granted;
        this.begun.push(projectId);
        await this.run(ticket, projectId);
        ticket.end();
      }),
    );
  }
}

function describeRunWorker(name: string, settings: QueueSettings): void {
  describe(`RunWorker: ${name}`, () => {
    let queue: RunQueue;
    let jobs: BullMqJobQueue;
    let workers: { close(): Promise<void> }[];
    let end: () => void;
    let ended: Promise<void>;

    beforeEach(async () => {
      useQueueStore(settings);
      queue = new Queue(`room-${randomUUID()}`, queueOptions(settings));
      await queue.waitUntilReady();
      jobs = new BullMqJobQueue(queue, 10_000);
      workers = [];
      ended = new Promise((resolve) => (end = resolve));
    });
    afterEach(async () => {
      end();
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.obliterate({ force: true });
      await queue.close();
    });

    const startWorker = (slots: number, run: ConstructorParameters<typeof SlottedWorker>[3]): SlottedWorker => {
      const worker = new SlottedWorker(queue.name, settings, slots, run);
      workers.push(worker);
      return worker;
    };

    const inQueue = async (): Promise<number> => (await queue.getJobCountByTypes('prioritized')) ?? 0;

    /**
     * Waits until 20 looks in a row find the same number of jobs, so that the workers fetch no more. Returns the
     * number.
     */
    async function leftInQueue(): Promise<number> {
      for (let last = -1, same = 0; ;) {
        const now = await inQueue();
        same = now === last ? same + 1 : 0;
        if (same === 20) return now;
        last = now;
      }
    }

    it('leaves in the queue what it cannot begin, but about a job', async () => {
      await jobs.enqueue(Array.from({ length: 10 }, () => aJob('a', MAX_RUNS_PER_JOB)));

      const worker = startWorker(4, () => ended);

      await untilSo(() => worker.begun.length === 4);
      expect(await leftInQueue()).toBe(8);
    });

    it('fetches more when slots are given up, though none of its jobs has ended', async () => {
      await jobs.enqueue(Array.from({ length: 10 }, () => aJob('a', MAX_RUNS_PER_JOB)));

      const worker = startWorker(4, (ticket) => {
        ticket.end();
        return ended;
      });

      await untilSo(() => worker.begun.length === 10 * MAX_RUNS_PER_JOB);
      expect(await leftInQueue()).toBe(0);
    });

    it('fetches one more as soon as a run that waited here begins, though none of its jobs has ended', async () => {
      const tickets: SlotTicket[] = [];
      await jobs.enqueue(Array.from({ length: 4 + SPARE_RUNS + 10 }, () => aJob('a', 1)));
      const worker = startWorker(4, (ticket) => {
        tickets.push(ticket);
        return ended;
      });
      await untilSo(() => worker.begun.length === 4);
      expect(await leftInQueue()).toBe(10);

      for (const left of [9, 8, 7]) {
        tickets.shift()?.end();
        while ((await inQueue()) > left) await pass(2);
        expect(await leftInQueue()).toBe(left);
      }
    });

    it('fetches the run of a project that has its turn, though it has no room', async () => {
      await jobs.enqueue(Array.from({ length: 4 }, () => aJob('a', MAX_RUNS_PER_JOB)));
      const worker = startWorker(4, () => ended);
      await untilSo(() => worker.begun.length === 4);
      expect(await leftInQueue()).toBe(2);

      await jobs.enqueue([aJob('b', 1, 1)]);

      await untilSo(() => worker.begun.includes('b'));
      expect(await leftInQueue()).toBe(2);
    });

    it('fetches all runs of a project that has its turn by one look, as long as it has less than its share', async () => {
      await jobs.enqueue(Array.from({ length: 4 }, () => aJob('a', MAX_RUNS_PER_JOB)));
      const worker = startWorker(4, (ticket, projectId) => {
        if (projectId === 'a') return ended;
        ticket.end();
        return Promise.resolve();
      });
      await untilSo(() => worker.begun.length === 4);
      expect(await leftInQueue()).toBe(2);
      worker.stopLooking();

      await jobs.enqueue(Array.from({ length: 20 }, () => aJob('b', 1, 1)));
      await worker.look();

      await untilSo(() => worker.begun.filter((projectId) => projectId === 'b').length === 20);
      expect(await leftInQueue()).toBe(2);
    });

    /** A worker that has no room, and therefore only looks at the first job. */
    const startFullWorker = () => {
      const noRoom: RunRoom = { freeSlots: 0, notBegun: 1_000, hasTurnFor: () => false, onMoreRoom: () => undefined };
      const worker = new RunWorker(queue.name, () => Promise.resolve(), queueWorkerOptions(settings, { room: noRoom }));
      workers.push(worker);
      const { backend } = worker as unknown as { backend: { getRanges: () => Promise<unknown> } };
      return { worker, look: jest.spyOn(backend, 'getRanges') };
    };

    it('says once that it cannot look at the first job in the queue, and why, however often it tries', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
      const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
      const { look } = startFullWorker();
      look.mockRejectedValue(new Error('The queue is away.'));

      await untilSo(() => look.mock.calls.length === 3);
      look.mockResolvedValue([[]]);
      await untilSo(() => look.mock.calls.length === 6);

      expect(warn.mock.calls).toEqual([['The first job in the queue cannot be read. The queue is away.']]);
      expect(log.mock.calls).toEqual([['The first job in the queue can be read again.']]);
      warn.mockRestore();
      log.mockRestore();
    });

    it('does not look again while the queue has not answered', async () => {
      const { worker, look } = startFullWorker();
      let answer = (_jobs: unknown): void => undefined;
      look.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
      look.mockResolvedValue([[]]);
      await untilSo(() => look.mock.calls.length === 1);

      const lookAgain = () => (worker as unknown as { lookAhead(): Promise<void> }).lookAhead();
      await Promise.all([lookAgain(), lookAgain()]);
      expect(look).toHaveBeenCalledTimes(1);

      answer([[]]);
      await untilSo(() => look.mock.calls.length >= 2);
    });

    it('leaves a worker that joins under a backlog its part of what is left', async () => {
      const all = 57 * MAX_RUNS_PER_JOB;
      await jobs.enqueue(Array.from({ length: 57 }, () => aJob('a', MAX_RUNS_PER_JOB)));
      let join = (): void => undefined;
      const joined = new Promise<void>((resolve) => (join = resolve));
      const work = async (): Promise<void> => {
        await joined;
        await pass(5);
      };

      const first = startWorker(50, work);
      await untilSo(() => first.begun.length === 50);
      await leftInQueue();
      const left = all - first.begun.length;
      const second = startWorker(50, work);
      await untilSo(() => second.begun.length === 50);
      join();
      await untilSo(() => first.begun.length + second.begun.length === all);

      expect(second.begun.length / left).toBeGreaterThanOrEqual(0.4);
    });
  });
}

/** Waits for a condition of this process, in which the runs of these tests begin. */
async function untilSo(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pass(2);
}

describeRunWorker('on PostgreSQL', { databaseUrl, ...retention });

if (redisUrl) describeRunWorker('on Redis', { databaseUrl, redisUrl, ...retention });
else
  describe.skip('RunWorker: on Redis (left out: MILLRACE_TEST_REDIS_URL is not set)', () =>
    it.todo('runs with a Redis'));
