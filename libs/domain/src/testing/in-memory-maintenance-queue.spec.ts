import { aMaintenanceJob } from './a-maintenance-job';
import { InMemoryMaintenanceQueue } from './in-memory-maintenance-queue';
import { describeMaintenanceQueue } from './maintenance-queue.contract';

describeMaintenanceQueue('in memory', async () => {
  const queue = new InMemoryMaintenanceQueue();
  return { queue, work: (process) => queue.work(process), close: async () => undefined };
});

describe('InMemoryMaintenanceQueue', () => {
  it('refuses jobs while it is away, and keeps those it has', async () => {
    const queue = new InMemoryMaintenanceQueue();
    const job = aMaintenanceJob();
    await queue.enqueue([job]);

    queue.fail();

    await expect(queue.enqueue([aMaintenanceJob()])).rejects.toThrow('away');
    queue.recover();
    expect(queue.waiting()).toEqual([job]);
  });

  it('takes a job again when it has lost its data', async () => {
    const queue = new InMemoryMaintenanceQueue();
    const job = aMaintenanceJob();
    await queue.enqueue([job]);

    queue.lose();
    expect(queue.waiting()).toEqual([]);
    await queue.enqueue([job]);

    expect(queue.waiting()).toEqual([job]);
  });
});
