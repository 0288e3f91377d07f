import { Logger } from '@nestjs/common';
import { executeFlowJob, JOB_ATTEMPTS, ServiceUnavailableError } from '@millrace/domain';
import { InMemoryJobQueue } from '@millrace/domain/testing';
import type { FlowRunner } from '../flow-runner';
import type { DeliveryResult, RunDelivery } from '../run-delivery';
import { RunSlots } from '../slots/run-slots';
import { JobExecutor, type DeliveredJob } from './job-executor';
import { FreezeWatch } from './freeze-watch';

const jobOf = (runIds: string[], attemptsMade = 0, lost: Partial<DeliveredJob> = {}): DeliveredJob => ({
  attemptsMade,
  attemptsStarted: attemptsMade + 1,
  stalledCounter: 0,
  ...lost,
  opts: { attempts: JOB_ATTEMPTS },
  data: { runs: runIds.map((id) => executeFlowJob({ id, flowVersionId: 'version', projectId: 'project' })) },
});

const tooSlow = new ServiceUnavailableError('The database cannot take it now.', 5);
const storeFailure = (error: unknown) =>
  error === tooSlow ? 'tooSlow' : error instanceof ServiceUnavailableError ? 'away' : null;

function setUp(run: (runId: string, delivery: RunDelivery) => Promise<DeliveryResult>, concurrency = 10) {
  const runner = {
    run: jest.fn(run),
    giveUp: jest.fn(() => Promise.resolve()),
    giveUpUnread: jest.fn(() => Promise.resolve()),
    noteBegun: jest.fn((_runId: string) => Promise.resolve()),
    canReadRow: jest.fn(() => Promise.resolve(true)),
    interruptAll: jest.fn(),
  };
  const assignJob = jest.fn(() => Promise.resolve());
  const queue = new InMemoryJobQueue();
  let ids = 0;
  const executor = new JobExecutor(runner as unknown as FlowRunner, { assignJob } as never, queue, {
    slots: new RunSlots(concurrency),
    drainSeconds: 25,
    freezes: new FreezeWatch(),
    storeFailure,
    newId: () => `job ${++ids}`,
  });
  const pause = jest.fn(() => Promise.resolve());
  const stop = () => executor.stop(pause);
  return { executor, stop, runner, assignJob, queue, pause };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

beforeAll(() => Logger.overrideLogger(false));

describe('JobExecutor', () => {
  it('executes every run of the job, no more of them at once than it may', async () => {
    let atOnce = 0;
    let most = 0;
    const { executor, runner } = setUp(async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return 'ended';
    }, 2);

    await executor.execute(jobOf(['a', 'b', 'c', 'd', 'e']));

    expect(runner.run.mock.calls.map(([id]) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
  });

  it('fails the job for trouble of ours, after its other runs have ended', async () => {
    const { executor, runner } = setUp((id) =>
      id === 'a' ? Promise.reject(new Error('The database is away.')) : Promise.resolve('ended'),
    );

    await expect(executor.execute(jobOf(['a', 'b']))).rejects.toThrow('away');
    expect(runner.run).toHaveBeenCalledTimes(2);
    expect(runner.giveUp).not.toHaveBeenCalled();
  });

  it('gives up a run when the attempts are spent, and completes the job', async () => {
    const { executor, runner } = setUp(() => Promise.reject(new Error('No such version.')));

    await executor.execute(jobOf(['a'], JOB_ATTEMPTS - 1));

    expect(runner.giveUp).toHaveBeenCalledWith('a', 'The service could not execute the run in 3 attempts.');
  });

  it('does not count an attempt that failed because the database was away', async () => {
    const away = new ServiceUnavailableError('The database is away; try again later.', 5);
    const { executor, runner, queue } = setUp(() => Promise.reject(away));

    await expect(executor.execute(jobOf(['a'], JOB_ATTEMPTS - 1))).rejects.toBe(away);

    expect(runner.giveUp).not.toHaveBeenCalled();
    expect(queue.waiting()).toEqual([]);
  });

  describe('when a statement of the run met its time limit', () => {
    const tryTenTimes = async (executor: JobExecutor, runIds: string[]) => {
      for (let n = 0; n < 10; n++) await executor.execute(jobOf(runIds, n % JOB_ATTEMPTS)).catch(() => undefined);
    };

    it('ends a run that its store cannot serve in time, though it answers for the run, after three jobs', async () => {
      const { executor, runner } = setUp((id) => (id === 'a' ? Promise.reject(tooSlow) : Promise.resolve('ended')));

      for (let n = 0; n < 8; n++) await expect(executor.execute(jobOf(['a', 'b'], n % 3))).rejects.toBe(tooSlow);
      expect(runner.giveUpUnread).not.toHaveBeenCalled();
      await executor.execute(jobOf(['a', 'b'], 2));

      const sentence = 'The service could not read or write what belongs to the run in time, in 9 attempts.';
      expect(runner.giveUpUnread.mock.calls).toEqual([['a', sentence]]);
    });

    it('lets the time of the run count, whatever becomes of this worker', async () => {
      const { executor, runner } = setUp((id) => (id === 'a' ? Promise.reject(tooSlow) : Promise.resolve('ended')));
      runner.noteBegun.mockRejectedValueOnce(new Error('The database is away.'));

      await expect(executor.execute(jobOf(['a', 'b']))).rejects.toBe(tooSlow);

      expect(runner.noteBegun.mock.calls).toEqual([['a']]);
    });

    it('costs no run its end while the store is away for everybody', async () => {
      const { executor, runner } = setUp(() => Promise.reject(tooSlow));
      runner.canReadRow.mockResolvedValue(false);

      await tryTenTimes(executor, ['a', 'b']);

      expect(runner.noteBegun).not.toHaveBeenCalled();
      expect(runner.giveUp).not.toHaveBeenCalled();
      expect(runner.giveUpUnread).not.toHaveBeenCalled();
    });

    it('begins to count anew when the run came through', async () => {
      let attempts = 0;
      const { executor, runner } = setUp(() =>
        ++attempts % 6 === 0 ? Promise.resolve('paused') : Promise.reject(tooSlow),
      );

      await tryTenTimes(executor, ['a']);

      expect(runner.giveUpUnread).not.toHaveBeenCalled();
    });
  });

  it('does not count an attempt in which this worker stood still', async () => {
    const { executor, runner } = setUp(() => {
      const now = performance.now();
      jest.spyOn(performance, 'now').mockReturnValue(now + 45_000);
      return Promise.reject(new Error('All time-outs are over at once.'));
    });

    await expect(executor.execute(jobOf(['a'], JOB_ATTEMPTS - 1))).rejects.toThrow('time-outs');
    jest.restoreAllMocks();

    expect(runner.giveUp).not.toHaveBeenCalled();
  });

  it('gives a run that shared its attempts with others a job of its own before it gives it up', async () => {
    const { executor, runner, queue, assignJob } = setUp((id) =>
      id === 'a' ? Promise.reject(new Error('The database is away.')) : Promise.resolve('ended'),
    );

    await executor.execute(jobOf(['a', 'b'], JOB_ATTEMPTS - 1));

    const [job] = queue.waiting();
    expect(job?.runs.map(({ runId }) => runId)).toEqual(['a']);
    expect(assignJob).toHaveBeenCalledWith(['a'], job?.jobId);
    expect(runner.giveUp).not.toHaveBeenCalled();
  });

  it.each([
    ['begins', jobOf(['a']), false],
    ['failed before', jobOf(['a'], 1), false],
    ['stalled', jobOf(['a'], 0, { stalledCounter: 1 }), true],
    ['was begun more often than it failed', jobOf(['a'], 1, { attemptsStarted: 3 }), true],
  ])('tells whether its job was lost with a worker: one that %s', async (_what, job, wasLost) => {
    const { executor, runner } = setUp(() => Promise.resolve('ended'));

    await executor.execute(job);

    expect(runner.run).toHaveBeenCalledWith('a', expect.objectContaining({ wasLost }));
  });

  it('enqueues a run again that another worker has to go on with, in a job that its row names first', async () => {
    const { executor, queue, assignJob } = setUp(() => Promise.resolve('reenqueue'));

    await executor.execute(jobOf(['a']));

    const [job] = queue.waiting();
    expect(job?.runs).toMatchObject([{ runId: 'a', flowVersionId: 'version', projectId: 'project' }]);
    expect(assignJob).toHaveBeenCalledWith(['a'], job?.jobId);
  });

  it.each([
    ['that another worker has to go on with', ['a'], 'reenqueue'],
    ['that shared its attempts with others', ['a', 'b'], 'failed'],
  ])('leaves a run %s to the rescuer when the queue is away, also at the last attempt', async (_what, runIds, left) => {
    const { executor, runner, queue, assignJob } = setUp(() =>
      left === 'failed' ? Promise.reject(new Error('The sandbox is away.')) : Promise.resolve('reenqueue'),
    );
    queue.enqueue = () => Promise.reject(new Error('The job queue is away.'));

    await executor.execute(jobOf(runIds, JOB_ATTEMPTS - 1));

    expect(assignJob).toHaveBeenCalledTimes(runIds.length);
    expect(runner.giveUp).not.toHaveBeenCalled();
  });

  it('takes no more jobs when it stops, waits for the runs in hand and enqueues those again that have not begun', async () => {
    let end = (_left: DeliveryResult) => undefined as void;
    const { executor, stop, runner, queue, pause } = setUp(() => new Promise((resolve) => (end = resolve)), 1);
    const processed = executor.execute(jobOf(['started', 'waiting']));
    await new Promise((resolve) => setImmediate(resolve));

    const stopped = stop();
    end('ended');
    await stopped;
    await processed;

    expect(pause).toHaveBeenCalled();
    expect(runner.run.mock.calls.map(([id]) => id)).toEqual(['started']);
    expect(queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId))).toEqual(['waiting']);
    expect(runner.interruptAll).not.toHaveBeenCalled();
  });

  it('executes a run that has lost workers in quarantine, and ends the job that brought it', async () => {
    const ends: ((left: DeliveryResult) => void)[] = [];
    const { executor, runner } = setUp((id, { quarantine }) => {
      if (!id.startsWith('suspect')) return Promise.resolve('ended');
      return quarantine ? new Promise((resolve) => ends.push(resolve)) : Promise.resolve('sharedQuarantine');
    }, 1);
    const suspects = Array.from({ length: 6 }, (_, n) => `suspect-${n}`);

    await executor.execute(jobOf(suspects));
    await executor.execute(jobOf(['ordinary']));
    await nextTurn();

    expect(runner.run.mock.calls.filter(([, { quarantine }]) => !quarantine).map(([id]) => id)).toEqual([
      ...suspects,
      'ordinary',
    ]);
    const inQuarantine = () => runner.run.mock.calls.filter(([, { quarantine }]) => quarantine).map(([id]) => id);
    expect(inQuarantine()).toEqual(suspects.slice(0, 4));
    ends[0]!('ended');
    await nextTurn();
    expect(inQuarantine()).toEqual(suspects.slice(0, 5));
  });

  it('does not load a run again that waits for quarantine, when the rescuer brings it', async () => {
    const { executor, runner } = setUp((_id, { quarantine }) =>
      quarantine ? new Promise(() => undefined) : Promise.resolve('singleQuarantine'),
    );

    await executor.execute(jobOf(['in quarantine', 'waiting']));
    await executor.execute(jobOf(['waiting', 'another']));

    expect(runner.run.mock.calls.filter(([id]) => id === 'waiting')).toHaveLength(1);
    expect(runner.run).toHaveBeenCalledWith('another', expect.anything());
  });

  it('takes a run from one level of quarantine to the other', async () => {
    const next: Record<string, DeliveryResult> = {
      none: 'sharedQuarantine',
      sharedQuarantine: 'singleQuarantine',
      singleQuarantine: 'ended',
    };
    const { executor, runner } = setUp((_id, { quarantine }) =>
      Promise.resolve(next[quarantine ?? 'none'] ?? 'discarded'),
    );

    await executor.execute(jobOf(['a']));
    await nextTurn();

    expect(runner.run.mock.calls.map(([, { quarantine }]) => quarantine)).toEqual([
      undefined,
      'sharedQuarantine',
      'singleQuarantine',
    ]);
  });

  it('tries a run in quarantine as often as the queue would, and then gives it up', async () => {
    jest.useFakeTimers();
    const { executor, runner } = setUp((_id, { quarantine }) =>
      quarantine ? Promise.reject(new Error('The sandbox is away.')) : Promise.resolve('sharedQuarantine'),
    );

    await executor.execute(jobOf(['a']));
    await jest.advanceTimersByTimeAsync(2_900);
    expect(runner.run).toHaveBeenCalledTimes(3);
    expect(runner.giveUp).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(100);

    expect(runner.run).toHaveBeenCalledTimes(4);
    expect(runner.giveUp).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('survives that a run in quarantine cannot even be given up', async () => {
    jest.useFakeTimers();
    const away = () => Promise.reject(new Error('The database is away.'));
    const { executor, runner } = setUp((_id, { quarantine }) =>
      quarantine ? away() : Promise.resolve('sharedQuarantine'),
    );
    runner.giveUp.mockImplementation(away);

    await executor.execute(jobOf(['a']));
    await jest.advanceTimersByTimeAsync(3_000);

    expect(runner.giveUp).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('waits for the run in quarantine when it stops, and enqueues those again that wait for it', async () => {
    let end = (_left: DeliveryResult) => undefined as void;
    const { executor, stop, queue } = setUp((_id, { quarantine }) =>
      quarantine ? new Promise((resolve) => (end = resolve)) : Promise.resolve('singleQuarantine'),
    );
    await executor.execute(jobOf(['in quarantine', 'waiting']));

    const stopped = stop();
    await nextTurn();
    expect(queue.waiting()).toEqual([]);
    end('ended');
    await stopped;

    expect(queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId))).toEqual(['waiting']);
  });

  it('interrupts what has not ended when the time to stop is over', async () => {
    jest.useFakeTimers();
    let end = (_left: DeliveryResult) => undefined as void;
    const { executor, stop, runner } = setUp(() => new Promise((resolve) => (end = resolve)));
    runner.interruptAll.mockImplementation(() => end('reenqueue'));
    const processed = executor.execute(jobOf(['endless']));

    const stopped = stop();
    await jest.advanceTimersByTimeAsync(24_000);
    expect(runner.interruptAll).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1_000);

    await Promise.all([stopped, processed]);
    jest.useRealTimers();
  });
});
