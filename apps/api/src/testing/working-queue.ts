import { PiecePackages, type ClaimedPiece, type InstallationEnding, type MaintenanceJob } from '@millrace/domain';
import { InMemoryMaintenanceQueue } from '@millrace/domain/testing';

/** How a worker ends an installation. Null for a worker that never ends it. */
export type Installs = (claimed: ClaimedPiece) => InstallationEnding | null;

/** A queue with a worker, which takes each installation as soon as it is enqueued. */
export class WorkingQueue extends InMemoryMaintenanceQueue {
  /** What the worker was asked to install. */
  readonly taken: ClaimedPiece[] = [];

  constructor(
    private readonly packages: PiecePackages,
    private readonly installs: Installs,
  ) {
    super();
  }

  override async enqueue(jobs: readonly MaintenanceJob[]): Promise<void> {
    await super.enqueue(jobs);
    await this.work((job) => this.installOne(job));
  }

  private async installOne({ rowId, epoch }: MaintenanceJob): Promise<void> {
    const claimed = await this.packages.claim(rowId, epoch);
    if (!claimed) return;
    this.taken.push(claimed);
    const ending = this.installs(claimed);
    if (ending) await this.packages.settle(claimed, ending);
  }
}
