import { Logger } from '@nestjs/common';
import { executeFlowJob, JOB_ATTEMPTS, type ExecuteFlowJob } from '@millrace/domain';
import { InMemoryJobQueue } from '@millrace/domain/testing';
import type { Job } from 'bullmq';
import pLimit from 'p-limit';
import type { FlowRunner, RunLeft } from '../running/flow-runner.service';
import { ExecuteFlowProcessor } from './execute-flow.processor';

const jobOf = (runIds: string[], attemptsMade = 0) =>
  ({
    attemptsMade,
    opts: { attempts: JOB_ATTEMPTS },
    data: { runs: runIds.map((id) => executeFlowJob({ id, flowVersionId: 'version', projectId: 'project' })) },
  }) as unknown as Job<{ runs: ExecuteFlowJob[] }>;

function setUp(run: (runId: string) => Promise<RunLeft>, concurrency = 10) {
  const runner = { run: jest.fn(run), giveUp: jest.fn(() => Promise.resolve()) };
  const assignJob = jest.fn(() => Promise.resolve());
  const queue = new InMemoryJobQueue();
  const processor = new ExecuteFlowProcessor(
    runner as unknown as FlowRunner,
    { assignJob } as never,
    queue,
    pLimit(concurrency),
  );
  return { processor, runner, assignJob, queue };
}

beforeAll(() => Logger.overrideLogger(false));

describe('ExecuteFlowProcessor', () => {
  it('executes every run of the job, no more of them at once than it may', async () => {
    let atOnce = 0;
    let most = 0;
    const { processor, runner } = setUp(async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return 'ended';
    }, 2);

    await processor.process(jobOf(['a', 'b', 'c', 'd', 'e']));

    expect(runner.run.mock.calls.map(([id]) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
  });

  it('fails the job for trouble of ours, after its other runs have ended', async () => {
    const { processor, runner } = setUp((id) =>
      id === 'a' ? Promise.reject(new Error('The database is away.')) : Promise.resolve('ended'),
    );

    await expect(processor.process(jobOf(['a', 'b']))).rejects.toThrow('away');
    expect(runner.run).toHaveBeenCalledTimes(2);
    expect(runner.giveUp).not.toHaveBeenCalled();
  });

  it('gives up a run when the attempts are spent, and completes the job', async () => {
    const { processor, runner } = setUp(() => Promise.reject(new Error('No such version.')));

    await processor.process(jobOf(['a'], JOB_ATTEMPTS - 1));

    expect(runner.giveUp).toHaveBeenCalledWith('a', 'The service could not execute the run in 3 attempts.');
  });

  it('passes on a run that was handed back, in a job that its row names first', async () => {
    const { processor, queue, assignJob } = setUp(() => Promise.resolve('handedBack'));

    await processor.process(jobOf(['a']));

    const [job] = queue.waiting();
    expect(job?.runs).toMatchObject([{ runId: 'a', flowVersionId: 'version', projectId: 'project' }]);
    expect(assignJob).toHaveBeenCalledWith(['a'], job?.jobId);
  });
});
