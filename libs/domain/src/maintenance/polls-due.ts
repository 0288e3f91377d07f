import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import type { ClaimLimits, Polls } from '../triggers/polls/polls';
import type { Duty, HeldLease } from './duty';

/**
 * A poll whose worker died, or whose job was lost, is claimed again after this time. When sources are slow, a job can
 * wait longer than this in the queue. Its poll is then claimed and enqueued again, and the older job does nothing. A
 * poll that a worker has taken up keeps its claim, see `POLL_TURN_MS`.
 */
const LEASE_MS = 3 * 60_000;

/** Beyond this, polls wait for others to end, so that an outage of an hour does not start all polls at once. */
export const POLL_LIMITS: ClaimLimits = { most: 400, mostOfProject: 40, leaseMs: LEASE_MS };

/** Claims the polls that are due and enqueues a job for each. */
export class PollsDue implements Duty {
  readonly name = 'Polls that are due';
  readonly everyMs = 1_000;

  constructor(
    private readonly polls: Polls,
    private readonly queue: MaintenanceQueue,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    if (!lease.isHeld()) return;
    const claimed = await this.polls.claimDue(POLL_LIMITS);
    await this.queue.enqueue(
      claimed.map(({ flowId, epoch, flowVersionId, projectId }) => ({
        kind: 'PollingJob',
        rowId: flowId,
        epoch,
        data: { flowVersionId, projectId, triggerType: 'POLLING' },
      })),
    );
  }
}
