import { executeFlowJob } from '../jobs/job-kinds';
import { JOB_PRIORITY } from '../jobs/job-policy';
import { InMemoryJobQueue } from './in-memory-job-queue';
import { describeJobQueue } from './job-queue.contract';

const BACKOFF_MS = 5;

describeJobQueue('in memory', async () => {
  const queue = new InMemoryJobQueue(BACKOFF_MS);
  return {
    queue,
    backoffMs: BACKOFF_MS,
    startWorker: async (process, onEnded) => queue.startWorker(process, onEnded),
    close: async () => queue.stopWorker(),
  };
});

describe('InMemoryJobQueue', () => {
  const run = executeFlowJob({ id: 'run-1', flowVersionId: 'version-1', projectId: 'project-1' });
  const job = { jobId: 'job-1', priority: JOB_PRIORITY.webhook, runs: [run] };

  it('refuses every call while it is away, and has kept its jobs when it comes back', async () => {
    const queue = new InMemoryJobQueue();
    await queue.enqueue([job]);

    queue.fail();

    await expect(queue.enqueue([job])).rejects.toThrow('away');
    await expect(queue.replace([job])).rejects.toThrow('away');
    await expect(queue.liveness(['job-1'])).rejects.toThrow('away');
    queue.recover();
    expect(queue.waiting()).toEqual([job]);
  });

  it('knows nothing any more when it has lost its data', async () => {
    const queue = new InMemoryJobQueue();
    await queue.enqueue([job]);

    queue.lose();

    expect(await queue.liveness(['job-1'])).toEqual(['gone']);
  });
});
