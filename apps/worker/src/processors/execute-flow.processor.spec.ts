import type { JobExecutor } from '@millrace/runner';
import type { Job } from 'bullmq';
import { ExecuteFlowProcessor } from './execute-flow.processor';

function setUp() {
  const events: string[] = [];
  const executor = {
    execute: jest.fn(() => Promise.resolve()),
    stop: async (takeNoMoreJobs: () => Promise<void>) => {
      await takeNoMoreJobs();
      events.push('stopped');
    },
  };
  const processor = new ExecuteFlowProcessor(executor as unknown as JobExecutor);
  const pause = (doNotWaitActive: boolean) => Promise.resolve(void events.push(`paused ${doNotWaitActive}`));
  Object.defineProperty(processor, 'worker', { value: { pause } });
  return { processor, executor, events };
}

describe('ExecuteFlowProcessor', () => {
  it('lets the executor execute each job', async () => {
    const { processor, executor } = setUp();
    const job = { data: { runs: [] } } as unknown as Job;

    await processor.process(job);

    expect(executor.execute).toHaveBeenCalledWith(job);
  });

  it('takes no more jobs when the app stops, without waiting for the jobs in hand, and then stops the executor', async () => {
    const { processor, events } = setUp();

    await processor.beforeApplicationShutdown();

    expect(events).toEqual(['paused true', 'stopped']);
  });
});
