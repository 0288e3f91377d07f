import { executeFlowJob, JOB_PRIORITY, type RunJob } from '@millrace/domain';
import { InMemoryJobQueue } from '@millrace/domain/testing';
import { LazyJobQueue } from './lazy-job-queue';
import type { OpenJobQueue } from './open-job-queue';

const aJob = (jobId: string): RunJob => ({
  jobId,
  priority: JOB_PRIORITY.webhook,
  runs: [executeFlowJob({ id: jobId, flowVersionId: 'version', projectId: 'project' })],
});

const COUNTS = { waiting: 2, active: 0, completed: 0, failed: 0, delayed: 0, paused: 0 };

describe('LazyJobQueue', () => {
  const opened = () => {
    const jobs = new InMemoryJobQueue();
    const close = jest.fn(() => Promise.resolve());
    const answers = () => Promise.resolve(true);
    const administration = { counts: () => Promise.resolve(COUNTS) };
    const countsOf = (...states: string[]) => Promise.resolve(Object.fromEntries(states.map((state) => [state, 1])));
    const open = jest.fn((): Promise<OpenJobQueue> =>
      Promise.resolve({ jobs, administration, countsOf, answers, close }),
    );
    return { jobs, close, open, queue: new LazyJobQueue(open) };
  };

  it('is opened by whoever asks first, once', async () => {
    const { jobs, open, queue } = opened();
    expect(open).not.toHaveBeenCalled();

    await Promise.all([queue.enqueue([aJob('a')]), queue.enqueue([aJob('b')])]);
    await queue.replace([aJob('a')]);

    expect(await queue.liveness(['a', 'c'])).toEqual(['live', 'gone']);
    expect(jobs.waiting().map(({ jobId }) => jobId)).toEqual(['a', 'b']);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('counts the jobs of the opened queue', async () => {
    const { queue } = opened();

    expect(await queue.counts()).toEqual(COUNTS);
    expect(await queue.getJobCounts('prioritized', 'failed')).toEqual({ prioritized: 1, failed: 1 });
  });

  it('answers when the opened queue does, and not when it cannot be opened', async () => {
    const { open, queue } = opened();
    open.mockRejectedValueOnce(new Error('The store is away.'));

    await expect(queue.answers()).rejects.toThrow('The store is away.');
    expect(await queue.answers()).toBe(true);
  });

  it('tries again when it could not be opened', async () => {
    const { jobs, open, queue } = opened();
    open.mockRejectedValueOnce(new Error('The store is away.'));

    await expect(queue.enqueue([aJob('a')])).rejects.toThrow('The store is away.');
    await queue.enqueue([aJob('a')]);

    expect(jobs.waiting()).toHaveLength(1);
  });

  it('closes what was opened, and only that', async () => {
    const [asked, unasked] = [opened(), opened()];
    await asked.queue.enqueue([aJob('a')]);

    await Promise.all([asked.queue.close(), unasked.queue.close()]);

    expect(asked.close).toHaveBeenCalledTimes(1);
    expect(unasked.open).not.toHaveBeenCalled();
  });
});
