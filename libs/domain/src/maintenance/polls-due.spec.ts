import { anId } from '../testing/an-id';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryMaintenanceQueue } from '../testing/in-memory-maintenance-queue';
import { InMemoryPolls } from '../testing/in-memory-polls';
import { POLL_LIMITS, PollsDue } from './polls-due';

function setUp() {
  const clock = new HandDrivenClock();
  const polls = new InMemoryPolls(clock);
  const queue = new InMemoryMaintenanceQueue();
  const flow = { projectId: anId(), flowVersionId: anId() };
  const flowId = anId();
  polls.enable(flowId, flow);
  return { clock, polls, queue, flow, flowId, duty: new PollsDue(polls, queue) };
}

describe('PollsDue', () => {
  it('enqueues a job for each poll that is due', async () => {
    const { duty, queue, flow, flowId } = setUp();

    await duty.perform(HELD);

    expect(queue.waiting()).toEqual([
      { kind: 'PollingJob', rowId: flowId, epoch: 1, data: { ...flow, triggerType: 'POLLING' } },
    ]);
  });

  it('enqueues a poll again, under a new epoch, when its job was lost', async () => {
    const { duty, queue, clock } = setUp();
    await duty.perform(HELD);
    queue.lose();

    await duty.perform(HELD);
    expect(queue.waiting()).toEqual([]);
    clock.advance(POLL_LIMITS.leaseMs);
    await duty.perform(HELD);

    expect(queue.waiting()).toMatchObject([{ epoch: 2 }]);
  });

  it('does nothing without the lease', async () => {
    const { duty, queue } = setUp();

    await duty.perform(lostAfter(0));

    expect(queue.waiting()).toEqual([]);
  });
});
