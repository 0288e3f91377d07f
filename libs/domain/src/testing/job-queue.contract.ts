// The promises of every adapter of JobQueue. The suite runs on the in-memory twin and on BullMQ over each store.

import { executeFlowJob } from '../jobs/job-kinds';
import { JOB_ATTEMPTS, JOB_PRIORITY, MAX_RUNS_PER_JOB, type JobPriority } from '../jobs/job-policy';
import type { JobQueue, RunJob } from '../jobs/job-queue';
import type { JobEnding, RunJobProcessor } from './in-memory-job-queue';

/** An empty queue and a worker for it, which executes one job at a time in up to JOB_ATTEMPTS attempts. */
export interface JobQueueUnderTest {
  queue: JobQueue;
  /** The back-off before the second attempt, in milliseconds; it doubles before the third. */
  backoffMs: number;
  /** Calls `onEnded` once the queue itself counts the job as finished. */
  startWorker(process: RunJobProcessor, onEnded: (jobId: string, ending: JobEnding) => void): Promise<void>;
  close(): Promise<void>;
}

export function describeJobQueue(name: string, makeQueue: () => Promise<JobQueueUnderTest>): void {
  describe(`JobQueue: ${name}`, () => {
    let subject: JobQueueUnderTest;
    let queue: JobQueue;

    beforeEach(async () => {
      subject = await makeQueue();
      queue = subject.queue;
    });
    afterEach(() => subject.close());

    /** Starts a worker. The endings of its jobs can be awaited one by one. */
    async function work(process: RunJobProcessor): Promise<Arrivals<[string, JobEnding]>> {
      const endings = new Arrivals<[string, JobEnding]>();
      await subject.startWorker(process, (jobId, ending) => endings.add([jobId, ending]));
      return endings;
    }

    it('hands a job to the worker with all the runs it carries, in their order', async () => {
      const job = aJob('group', { runs: MAX_RUNS_PER_JOB });
      const received = new Arrivals<RunJob>();

      await queue.enqueue([job]);
      await work(async (arrived) => received.add(arrived));

      expect(await received.next()).toEqual(job);
    });

    it('wakes a worker that was there before the job', async () => {
      const endings = await work(async () => undefined);

      await queue.enqueue([aJob('later')]);

      expect(await endings.next()).toEqual(['later', 'completed']);
    });

    it('takes many jobs in one call', async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `job-${i}`);

      await queue.enqueue(ids.map((id) => aJob(id)));

      expect(await queue.liveness(ids)).toEqual(ids.map(() => 'live'));
    });

    it('takes an empty list', async () => {
      await queue.enqueue([]);
      await queue.replace([]);

      expect(await queue.liveness([])).toEqual([]);
    });

    it('gives the lowest priority number first, and jobs of equal priority in the order they came', async () => {
      for (const [id, priority] of [
        ['maintenance', JOB_PRIORITY.maintenance],
        ['schedule', JOB_PRIORITY.schedule],
        ['webhook-1', JOB_PRIORITY.webhook],
        ['webhook-2', JOB_PRIORITY.webhook],
      ] as const) {
        await queue.enqueue([aJob(id, { priority })]);
      }

      const endings = await work(async () => undefined);

      const order = (await endings.take(4)).map(([jobId]) => jobId);
      expect(order).toEqual(['webhook-1', 'webhook-2', 'schedule', 'maintenance']);
    });

    it('gives jobs of a later level after all others, whatever their priority', async () => {
      await queue.enqueue([{ ...aJob('behind'), leastLevel: 1 }]);
      await queue.enqueue([aJob('maintenance', { priority: JOB_PRIORITY.maintenance })]);

      const endings = await work(async () => undefined);

      const order = (await endings.take(2)).map(([jobId]) => jobId);
      expect(order).toEqual(['maintenance', 'behind']);
    });

    it('changes nothing when a job of that id already waits', async () => {
      const first = aJob('same', { runs: 2 });
      await queue.enqueue([first]);
      await queue.enqueue([aJob('same', { runs: 5 }), aJob('other')]);

      const received: RunJob[] = [];
      const endings = await work(async (job) => void received.push(job));
      await endings.take(2);

      expect(received).toEqual([first, aJob('other')]);
    });

    it('changes nothing when a job of that id has finished', async () => {
      const endings = await work(async () => undefined);
      await queue.enqueue([aJob('once')]);
      await endings.next();

      await queue.enqueue([aJob('once'), aJob('next')]);

      expect(await endings.next()).toEqual(['next', 'completed']);
      expect(await queue.liveness(['once'])).toEqual(['gone']);
    });

    it('calls a job live from its adding until it has ended, and gone before and after', async () => {
      const seen: string[] = [];
      const note = async (): Promise<void> => void seen.push(...(await queue.liveness(['life'])));

      await note();
      await queue.enqueue([aJob('life')]);
      await note();
      const endings = await work(note);
      await endings.next();
      await note();

      expect(seen).toEqual(['gone', 'live', 'live', 'gone']);
    });

    it('answers for each id in the order asked', async () => {
      await queue.enqueue([aJob('b'), aJob('d')]);

      expect(await queue.liveness(['a', 'b', 'c', 'd', 'b'])).toEqual(['gone', 'live', 'gone', 'live', 'live']);
    });

    it('replaces a completed job, so that it is worked on again', async () => {
      const received: number[] = [];
      const endings = await work(async (job) => void received.push(job.runs.length));
      await queue.enqueue([aJob('again', { runs: 1 })]);
      await endings.next();

      await queue.replace([aJob('again', { runs: 3 })]);

      expect(await endings.next()).toEqual(['again', 'completed']);
      expect(received).toEqual([1, 3]);
    });

    it('adds what it does not know when asked to replace it', async () => {
      await queue.replace([aJob('new')]);

      expect(await queue.liveness(['new'])).toEqual(['live']);
    });

    it('leaves a waiting job as it is when asked to replace it', async () => {
      const waiting = aJob('waiting', { runs: 2 });
      await queue.enqueue([waiting]);

      await queue.replace([aJob('waiting', { runs: 5 })]);

      const received = new Arrivals<RunJob>();
      await work(async (job) => received.add(job));
      expect(await received.next()).toEqual(waiting);
    });

    it('leaves a job that is being worked on alone when asked to replace it', async () => {
      const received: string[] = [];
      const endings = await work(async (job) => {
        received.push(job.jobId);
        if (job.jobId === 'busy') await queue.replace([aJob('busy')]);
      });

      await queue.enqueue([aJob('busy')]);
      await endings.next();
      await queue.enqueue([aJob('after')]);
      await endings.next();

      expect(received).toEqual(['busy', 'after']);
    });

    it('tries a throwing job again after a wait that doubles, then gives it up, and can replace it then', async () => {
      const attempts: { at: number; liveness: string[] }[] = [];
      let broken = true;
      const endings = await work(async (job) => {
        attempts.push({ at: performance.now(), liveness: await queue.liveness([job.jobId]) });
        if (broken) throw new Error('the database is away');
      });

      await queue.enqueue([aJob('flaky')]);
      const firstEnding = await endings.next();
      const livenessAfter = await queue.liveness(['flaky']);
      broken = false;
      await queue.replace([aJob('flaky')]);
      const secondEnding = await endings.next();

      expect(firstEnding).toEqual(['flaky', 'failed']);
      expect(livenessAfter).toEqual(['gone']);
      expect(secondEnding).toEqual(['flaky', 'completed']);
      expect(attempts).toHaveLength(JOB_ATTEMPTS + 1);
      expect(attempts.every(({ liveness }) => liveness[0] === 'live')).toBe(true);
      const [first, second, third] = attempts.map(({ at }) => at);
      expect(second! - first!).toBeGreaterThanOrEqual(subject.backoffMs - CLOCK_GRAIN_MS);
      expect(third! - second!).toBeGreaterThanOrEqual(2 * subject.backoffMs - CLOCK_GRAIN_MS);
    });
  });
}

/** The stores measure in whole milliseconds of the wall clock, the test in fractions of the monotonic clock. */
const CLOCK_GRAIN_MS = 3;

function aJob(
  jobId: string,
  { runs = 1, priority = JOB_PRIORITY.webhook }: { runs?: number; priority?: JobPriority } = {},
): RunJob {
  const run = (i: number) => ({ id: `${jobId}-run-${i}`, flowVersionId: 'version-1', projectId: 'project-1' });
  return { jobId, priority, runs: Array.from({ length: runs }, (_, i) => executeFlowJob(run(i))) };
}

/** A list of values that arrive one by one and can be awaited one by one. */
class Arrivals<T> {
  private readonly arrived: T[] = [];
  private readonly awaited: ((thing: T) => void)[] = [];

  add(thing: T): void {
    const waiting = this.awaited.shift();
    if (waiting) waiting(thing);
    else this.arrived.push(thing);
  }

  next(): Promise<T> {
    if (this.arrived.length > 0) return Promise.resolve(this.arrived.shift() as T);
    return new Promise((resolve) => this.awaited.push(resolve));
  }

  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }
}
