import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import type { TriggerOperations } from '../flows/trigger-operation';
import type { Duty } from './duty';

const PAGE = 200;

/** Enqueues the operations of triggers that are to be tried again, or whose job was lost, and undoes abandoned ones. */
export class TriggerOperationsDue implements Duty {
  readonly name = 'Operations of triggers that are due';
  readonly everyMs = 2_000;

  constructor(
    private readonly operations: TriggerOperations,
    private readonly queue: MaintenanceQueue,
  ) {}

  async perform(): Promise<void> {
    const due = await this.operations.claimDue(PAGE);
    await this.queue.enqueue(
      due.map(({ id, epoch, projectId, flowVersionId }) => ({
        kind: 'TriggerHookJob',
        rowId: id,
        epoch,
        data: { flowVersionId, projectId },
      })),
    );
  }
}
