import type { DestinationClaim, DueEvents } from '../event-destinations/due-events';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryMaintenanceQueue } from '../testing/in-memory-maintenance-queue';
import { EventSending } from './event-sending';

describe('EventSending', () => {
  function setUp(claims: DestinationClaim[]) {
    const claim = jest.fn(() => Promise.resolve(claims));
    const queue = new InMemoryMaintenanceQueue();
    return { claim, queue, duty: new EventSending({ claim } as unknown as DueEvents, queue, new HandDrivenClock()) };
  }

  it('enqueues a job for each destination that it claims, with the epoch of the claim', async () => {
    const { duty, queue } = setUp([{ destinationId: 'd', projectId: 'p', epoch: 3 }]);

    await duty.perform(HELD);

    expect(queue.waiting()).toEqual([{ kind: 'EventDestinationJob', rowId: 'd', epoch: 3, data: { projectId: 'p' } }]);
  });

  it('claims nothing without the lease', async () => {
    const { duty, claim } = setUp([]);

    await duty.perform(lostAfter(0));

    expect(claim).not.toHaveBeenCalled();
  });
});
