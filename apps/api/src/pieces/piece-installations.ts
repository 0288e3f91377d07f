import {
  MaintenanceQueue,
  NO_PROJECT,
  PieceIntegrityError,
  PieceNotInstalledError,
  PiecePackages,
  ServiceUnavailableError,
  type PieceInstallation,
  type WantedPiece,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { untilAnswered } from '../rest/until-answered';

const PATIENCE_MS = 60_000;
/** How often the outcome is asked for: often at first, because a small package takes less than a second. */
const FIRST_ASKED_AFTER_MS = 50;
const ASKED_EVERY_MS = 500;
const RETRY_AFTER_SECONDS = 10;

/** How long a request waits for an installation. The class is also the token of this setting. */
export abstract class InstallationPatience {
  abstract readonly ms: number;
}

/** Has workers install packages, and waits for the outcomes. The code of a package never runs in this process. */
@Injectable()
export class PieceInstallations {
  private readonly logger = new Logger(PieceInstallations.name);
  /** How long a request waits, in milliseconds, however many packages it needs. */
  readonly patienceMs: number;

  constructor(
    private readonly packages: PiecePackages,
    private readonly queue: MaintenanceQueue,
    @Optional() patience?: InstallationPatience,
  ) {
    this.patienceMs = patience?.ms ?? PATIENCE_MS;
  }

  /**
   * Resolves when the package is installed, and says whether it was not before. Throws PieceIntegrityError,
   * PieceNotInstalledError, and ServiceUnavailableError when no worker has installed it within `forMs`; it may be installed
   * later then.
   */
  async install(wanted: WantedPiece, forMs = this.patienceMs): Promise<{ isNew: boolean }> {
    const begun = await this.packages.want(wanted);
    if (begun.status === 'installed') return { isNew: begun.isNew };
    if (begun.status === 'pending') await this.enqueue(begun);
    if (begun.status === 'gone') throw new PieceNotInstalledError(wanted, 'The package was removed meanwhile.');
    await this.ended(wanted, begun.id, forMs);
    return { isNew: true };
  }

  /** When the queue is away, a duty enqueues the installation later. */
  private async enqueue({ id, epoch }: Extract<PieceInstallation, { status: 'pending' }>): Promise<void> {
    const job = { kind: 'PieceInstallationJob', rowId: id, epoch, data: { projectId: NO_PROJECT } } as const;
    await this.queue.enqueue([job]).catch((error: unknown) => this.logger.warn(String(error)));
  }

  private async ended(wanted: WantedPiece, id: string, forMs: number): Promise<void> {
    const patience = { forMs, firstAfterMs: FIRST_ASKED_AFTER_MS, everyMs: ASKED_EVERY_MS };
    const ended = await untilAnswered(async () => {
      const found = await this.packages.installation(id);
      return found.status === 'pending' ? null : found;
    }, patience);
    if (ended?.status === 'installed') return;
    if (ended?.status === 'failed') {
      if (ended.code === 'PIECE_INTEGRITY') throw new PieceIntegrityError(wanted);
      throw new PieceNotInstalledError(wanted, ended.problem);
    }
    if (ended?.status === 'gone') throw new PieceNotInstalledError(wanted, 'The package was removed meanwhile.');
    throw new ServiceUnavailableError(
      `No worker has installed ${wanted.name} ${wanted.version} within ${Math.round(forMs / 10) / 100} s. It may be installed later.`,
      RETRY_AFTER_SECONDS,
    );
  }
}
