import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import type { TriggerRenewals } from '../trigger-operations/trigger-renewals';
import type { Duty } from './duty';

const PAGE = 500;

/** Enqueues the renewals of triggers that are due. */
export class RenewalsDue implements Duty {
  readonly name = 'Renewals of triggers that are due';
  readonly everyMs = 10_000;

  constructor(
    private readonly renewals: TriggerRenewals,
    private readonly queue: MaintenanceQueue,
  ) {}

  async perform(): Promise<void> {
    const due = await this.renewals.claimDue(PAGE);
    await this.queue.enqueue(
      due.map(({ flowId, epoch, projectId, flowVersionId }) => ({
        kind: 'RenewWebhookJob',
        rowId: flowId,
        epoch,
        data: { flowVersionId, projectId },
      })),
    );
  }
}
