import { Logger } from '@nestjs/common';
import type { UnfinishedRuns, UnfinishedRun } from '@millrace/domain';
import { JOB_PRIORITY } from '@millrace/domain';
import { HandDrivenClock, InMemoryJobQueue } from '@millrace/domain/testing';
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
  const assignJob = jest.fn(() => Promise.resolve());
  const queue = new InMemoryJobQueue();
  const rescuer = new RunRescuer(
    { findUnfinished, assignJob } as unknown as UnfinishedRuns,
    queue,
    new HandDrivenClock(),
  );
  return { rescuer, queue, findUnfinished, assignJob };
}

const runsWaiting = (queue: InMemoryJobQueue) => queue.waiting().flatMap(({ runs }) => runs.map((run) => run.runId));

beforeAll(() => Logger.overrideLogger(false));

describe('RunRescuer', () => {
  it('puts back a run whose job is gone', async () => {
    const { rescuer, queue, assignJob } = setUp([[unfinished('a', 'lost-job')]]);

    await rescuer.perform();

    expect(runsWaiting(queue)).toEqual(['a']);
    expect(assignJob).toHaveBeenCalledWith(['a'], 'a');
  });

  it('leaves a run alone that travels in a live job of its group', async () => {
    const { rescuer, queue } = setUp([[unfinished('a', 'group'), unfinished('b', 'group')]]);
    await queue.enqueue([{ jobId: 'group', priority: JOB_PRIORITY.webhook, runs: [] }]);

    await rescuer.perform();

    expect(runsWaiting(queue)).toEqual([]);
  });

  it('changes nothing when it looks twice', async () => {
    const { rescuer, queue } = setUp([[unfinished('a', 'lost-job')], [unfinished('a', 'a')]]);

    await rescuer.perform();
    await rescuer.perform();

    expect(runsWaiting(queue)).toEqual(['a']);
  });

  it('looks at one page at a time and starts over at the end', async () => {
    const page = Array.from({ length: 1_000 }, (_, n) => unfinished(`run-${n}`));
    const { rescuer, findUnfinished } = setUp([page, []]);

    await rescuer.perform();
    await rescuer.perform();
    await rescuer.perform();

    expect(findUnfinished.mock.calls.map(([, afterId]) => afterId)).toEqual([null, 'run-999', null]);
  });
});
