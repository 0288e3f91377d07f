import { JOB_PRIORITY, MAX_RUNS_PER_JOB } from '../jobs/job-policy';
import type { UnfinishedRun, UnfinishedRuns } from '../runs/unfinished-runs';
import { anId } from '../testing/an-id';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryJobQueue } from '../testing/in-memory-job-queue';
import { RunRescuer } from './run-rescuer';

const unfinished = (id: string, jobId = id): UnfinishedRun => ({
  id,
  jobId,
  projectId: 'project',
  flowId: 'flow',
  flowVersionId: 'version',
  epoch: 0,
  startTime: null,
  leaseUntil: null,
});

function setUp(pages: UnfinishedRun[][]) {
  const findUnfinished = jest.fn((..._asked: Parameters<UnfinishedRuns['findUnfinished']>) =>
    Promise.resolve(pages.shift() ?? []),
  );
  const clock = new HandDrivenClock();
  const assigned = new Map<string, string>();
  const assignJobs = jest.fn((jobs: Parameters<UnfinishedRuns['assignJobs']>[0]) => {
    for (const { runIds, jobId } of jobs) for (const runId of runIds) assigned.set(runId, jobId);
    return Promise.resolve();
  });
  const queue = new InMemoryJobQueue();
  const rescuer = new RunRescuer({ findUnfinished, assignJobs } as unknown as UnfinishedRuns, queue, clock, anId);
  return { rescuer, queue, clock, findUnfinished, assignJobs, assigned };
}

const pageOf = (page: number, jobId?: string) =>
  Array.from({ length: 1_000 }, (_, n) => unfinished(`run-${page}-${n}`, jobId));

const runsWaiting = (queue: InMemoryJobQueue) => queue.waiting().flatMap(({ runs }) => runs.map((run) => run.runId));

describe('RunRescuer', () => {
  it('puts back a run whose job is gone, in a new job that its row names', async () => {
    const { rescuer, queue, assigned } = setUp([[unfinished('a', 'lost-job')]]);

    await rescuer.perform(HELD);

    expect(runsWaiting(queue)).toEqual(['a']);
    expect(queue.waiting().map(({ jobId }) => jobId)).toEqual([assigned.get('a')]);
  });

  it('names the job before it adds it, and tries again when the queue is away', async () => {
    const { rescuer, queue, assigned } = setUp([[unfinished('a', 'lost-job')], [unfinished('a', 'never-added')]]);
    queue.enqueue = jest.fn(() => Promise.reject(new Error('The job queue is away.')));

    await expect(rescuer.perform(HELD)).rejects.toThrow('away');
    expect(assigned.has('a')).toBe(true);

    queue.enqueue = (jobs) => InMemoryJobQueue.prototype.enqueue.call(queue, jobs);
    await rescuer.perform(HELD);
    expect(runsWaiting(queue)).toEqual(['a']);
  });

  it('leaves a run alone that travels in a live job of its group', async () => {
    const { rescuer, queue } = setUp([[unfinished('a', 'group'), unfinished('b', 'group')]]);
    await queue.enqueue([{ jobId: 'group', priority: JOB_PRIORITY.webhook, runs: [] }]);

    await rescuer.perform(HELD);

    expect(runsWaiting(queue)).toEqual([]);
  });

  it('puts nothing back after its process has lost the leader lease', async () => {
    const { rescuer, queue, assignJobs } = setUp([[unfinished('a', 'lost-job')]]);

    await rescuer.perform(lostAfter(1));

    expect(assignJobs).not.toHaveBeenCalled();
    expect(runsWaiting(queue)).toEqual([]);
  });

  it('changes nothing when it looks twice', async () => {
    const { rescuer, queue, assigned, findUnfinished } = setUp([[unfinished('a', 'lost-job')]]);

    await rescuer.perform(HELD);
    findUnfinished.mockResolvedValue([unfinished('a', assigned.get('a'))]);
    await rescuer.perform(HELD);

    expect(runsWaiting(queue)).toEqual(['a']);
  });

  it('puts many runs back in groups, all that are lost in one turn', async () => {
    const { rescuer, queue, findUnfinished, assignJobs } = setUp([pageOf(0), pageOf(1), [unfinished('last')]]);

    await rescuer.perform(HELD);

    expect(new Set(runsWaiting(queue)).size).toBe(2_001);
    expect(Math.max(...queue.waiting().map(({ runs }) => runs.length))).toBe(MAX_RUNS_PER_JOB);
    expect(findUnfinished.mock.calls.map(([, afterId]) => afterId)).toEqual([null, 'run-0-999', 'run-1-999']);
    expect(assignJobs).toHaveBeenCalledTimes(3);
  });

  it('has a lost queue of 50,000 runs back within a minute, however slow each page is', async () => {
    const pages = Array.from({ length: 50 }, (_, n) => pageOf(n));
    const { rescuer, queue, clock, findUnfinished } = setUp(pages);
    const startedAt = clock.now().getTime();
    const find = findUnfinished.getMockImplementation()!;
    findUnfinished.mockImplementation((...asked) => {
      clock.advance(400);
      return find(...asked);
    });

    while (pages.length > 0) {
      const began = clock.now().getTime();
      await rescuer.perform(HELD);
      expect(clock.now().getTime() - began).toBeLessThan(5_000);
      clock.advance(rescuer.everyMs);
    }

    expect(new Set(runsWaiting(queue)).size).toBe(50_000);
    expect(clock.now().getTime() - startedAt).toBeLessThan(60_000);
  });

  it('asks for so many jobs of a long queue in which nothing is lost, and goes on from there', async () => {
    const pages = Array.from({ length: 20 }, (_, n) => pageOf(n));
    const { rescuer, queue, findUnfinished } = setUp([...pages]);
    const jobs = pages.flat().map(({ jobId }) => ({ jobId, priority: JOB_PRIORITY.webhook, runs: [] }));
    await queue.enqueue(jobs);

    await rescuer.perform(HELD);
    const first = findUnfinished.mock.calls.length;
    await rescuer.perform(HELD);

    expect(first).toBe(8);
    expect(findUnfinished.mock.calls[first]?.[1]).toBe('run-7-999');
    expect(runsWaiting(queue)).toEqual([]);
  });

  it('finds one lost run behind a million that wait, within a minute', async () => {
    const { rescuer, queue, clock, findUnfinished } = setUp([]);
    await queue.enqueue([{ jobId: 'live', priority: JOB_PRIORITY.webhook, runs: [] }]);
    const waiting = pageOf(0, 'live');
    let pages = 0;
    findUnfinished.mockImplementation(() => {
      clock.advance(20);
      return Promise.resolve(++pages <= 1_000 ? waiting : [unfinished('lost')]);
    });
    const startedAt = clock.now().getTime();

    for (; runsWaiting(queue).length === 0; clock.advance(rescuer.everyMs)) {
      const began = clock.now().getTime();
      await rescuer.perform(HELD);
      expect(clock.now().getTime() - began).toBeLessThan(3_100);
      if (clock.now().getTime() - startedAt > 100_000) throw new Error('It is not found.');
    }

    expect(runsWaiting(queue)).toEqual(['lost']);
    expect(clock.now().getTime() - startedAt).toBeLessThan(60_000);
  });

  it('starts over at the end', async () => {
    const { rescuer, findUnfinished } = setUp([pageOf(0), []]);

    await rescuer.perform(HELD);
    await rescuer.perform(HELD);

    expect(findUnfinished.mock.calls.map(([, afterId]) => afterId)).toEqual([null, 'run-0-999', null]);
  });
});
