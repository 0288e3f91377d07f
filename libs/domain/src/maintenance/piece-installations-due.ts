import { NO_PROJECT } from '../jobs/maintenance-jobs';
import type { MaintenanceQueue } from '../jobs/maintenance-queue';
import type { PiecePackages } from '../pieces/piece-package';
import type { Duty } from './duty';

const PAGE = 200;

/** Enqueues the installations of packages whose job or worker was lost. */
export class PieceInstallationsDue implements Duty {
  readonly name = 'Installations of pieces that are due';
  readonly everyMs = 2_000;

  constructor(
    private readonly packages: PiecePackages,
    private readonly queue: MaintenanceQueue,
  ) {}

  async perform(): Promise<void> {
    const due = await this.packages.claimDue(PAGE);
    if (due.length === 0) return;
    await this.queue.enqueue(
      due.map(({ id, epoch }) => ({
        kind: 'PieceInstallationJob',
        rowId: id,
        epoch,
        data: { projectId: NO_PROJECT },
      })),
    );
  }
}
