import type { Clock } from '../clock';
import type { DueEvents } from '../event-destinations/due-events';
import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import type { Duty, HeldLease } from './duty';

/** So many destinations get a turn at once. */
const CLAIMED_AT_ONCE = 200;

/**
 * Claims the destinations for which events are due, and enqueues a turn for each. A late write is harmless: a claim
 * raises the epoch, and only its holder sends. A destination whose job was lost is claimed again when its claim has run
 * out.
 */
export class EventSending implements Duty {
  readonly name = 'Event sending';
  readonly everyMs = 1_000;

  constructor(
    private readonly events: DueEvents,
    private readonly queue: MaintenanceQueue,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    if (!lease.isHeld()) return;
    const claims = await this.events.claim(this.clock.now(), CLAIMED_AT_ONCE);
    if (claims.length === 0) return;
    await this.queue.enqueue(
      claims.map(({ destinationId, projectId, epoch }) => ({
        kind: 'EventDestinationJob',
        rowId: destinationId,
        epoch,
        data: { projectId },
      })),
    );
  }
}
