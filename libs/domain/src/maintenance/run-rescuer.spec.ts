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
  flowVersionId: 'version',
  leaseUntil: null,
});

function setUp(pages: UnfinishedRun[][]) {
  const findUnfinished = jest.fn((..._asked: Parameters<UnfinishedRuns['findUnfinished']>) =>
    Promise.resolve(pages.shift() ?? []),
  );
  const clock = new HandDrivenClock();
  const assigned = new Map<string, string>();
  const locked = new Set<string>();
  const assignJobs = jest.fn((jobs: Parameters<UnfinishedRuns['assignJobs']>[0]) => {
    const noted = jobs.flatMap(({ runIds, jobId }) => runIds.map((runId) => [runId, jobId] as const));
    const free = noted.filter(([runId]) => !locked.has(runId));
    for (const [runId, jobId] of free) assigned.set(runId, jobId);
    return Promise.resolve(new Set(free.map(([runId]) => runId)));
  });
  const queue = new InMemoryJobQueue();
  const rescuer = new RunRescuer({ findUnfinished, assignJobs } as unknown as UnfinishedRuns, queue, clock, anId);
  return { rescuer, queue, clock, findUnfinished, assignJobs, assigned, locked };
}

const pageOf = (page: number, jobId?: string) =>
  Array.from({ length: 2_000 }, (_, n) => unfinished(`run-${page}-${n}`, jobId));

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

  it('goes round a run whose row is locked, and brings it when it is free', async () => {
    const lost = [unfinished('a', 'gone'), unfinished('b', 'gone')];
    const { rescuer, queue, locked } = setUp([lost, lost.slice(0, 1)]);
    locked.add('a');

    expect(await rescuer.perform(HELD)).toMatch(/^1 unfinished run/);
    expect(runsWaiting(queue)).toEqual(['b']);

    locked.clear();
    await rescuer.perform(HELD);
    expect(runsWaiting(queue)).toEqual(['b', 'a']);
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

    expect(new Set(runsWaiting(queue)).size).toBe(4_001);
    expect(Math.max(...queue.waiting().map(({ runs }) => runs.length))).toBe(MAX_RUNS_PER_JOB);
    expect(findUnfinished.mock.calls.map(([, afterId]) => afterId)).toEqual([null, 'run-0-1999', 'run-1-1999']);
    expect(assignJobs).toHaveBeenCalledTimes(3);
  });

  it('has a lost queue of 50,000 runs back within a minute, however slow each page is', async () => {
    const pages = Array.from({ length: 25 }, (_, n) => pageOf(n));
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

  it('finds one lost run behind a million that wait, each in a job of its own, within a minute', async () => {
    const { rescuer, queue, clock, findUnfinished } = setUp([]);
    queue.liveness = (jobIds) => Promise.resolve(jobIds.map((id) => (id.startsWith('lost') ? 'gone' : 'live')));
    const waiting = pageOf(0);
    let pages = 0;
    let busyMs = 0;
    findUnfinished.mockImplementation(() => {
      // This was measured on a busy machine.
      clock.advance(45);
      return Promise.resolve(++pages <= 500 ? waiting : [unfinished('lost')]);
    });
    const startedAt = clock.now().getTime();

    while (runsWaiting(queue).length === 0) {
      const began = clock.now().getTime();
      await rescuer.perform(HELD);
      expect(clock.now().getTime() - began).toBeLessThan(400);
      busyMs += clock.now().getTime() - began;
      clock.advance(rescuer.everyMs + 100); // the duties look five times a second
      if (clock.now().getTime() - startedAt > 100_000) throw new Error('It is not found.');
    }

    const tookMs = clock.now().getTime() - startedAt;
    expect(runsWaiting(queue)).toEqual(['lost']);
    expect(tookMs).toBeLessThan(60_000);
    expect(busyMs / tookMs).toBeLessThan(0.5);
  });

  it('rests for longer between two laps than between two turns of one', async () => {
    const { rescuer, queue, clock, findUnfinished } = setUp([]);
    queue.liveness = (jobIds) => Promise.resolve(jobIds.map(() => 'live'));
    findUnfinished.mockImplementation(() => {
      clock.advance(200);
      return Promise.resolve(pageOf(0));
    });

    await rescuer.perform(HELD);
    expect(findUnfinished).toHaveBeenCalledTimes(2);
    const withinLap = rescuer.everyMs;
    findUnfinished.mockResolvedValue([]);
    await rescuer.perform(HELD);

    expect([withinLap, rescuer.everyMs]).toEqual([300, 5_000]);
  });

  it('starts over at the end', async () => {
    const { rescuer, findUnfinished } = setUp([pageOf(0), []]);

    await rescuer.perform(HELD);
    await rescuer.perform(HELD);

    expect(findUnfinished.mock.calls.map(([, afterId]) => afterId)).toEqual([null, 'run-0-1999', null]);
  });
});
