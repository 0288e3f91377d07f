import {
  DomainError,
  PieceIntegrityError,
  PiecePackages,
  ServiceUnavailableError,
  type ClaimedPiece,
  type InstallationEnding,
  type InstallationFailure,
} from '@millrace/domain';
import { ArchiveError, HostFailure, integrityOf, PackageStore } from '@millrace/piece-hosts';
import { ActionFailure, readPublishedPiece } from '@millrace/pieces';
import { PackageArchives, PackageFetchError } from '@millrace/sandbox';
import { Injectable } from '@nestjs/common';
import { PackageHosts } from './package-hosts';
import { StoredArchives } from '@millrace/persistence';

const LONGEST_REASON = 300;

/**
 * Installs packages: fetches or reads the archive, unpacks it, has the package describe itself, and puts both on record.
 * What is wrong with the package ends the installation with a sentence. What is wrong with this service rejects, and the
 * installation is tried again.
 */
@Injectable()
export class PackageInstaller {
  constructor(
    private readonly packages: PiecePackages,
    private readonly registry: PackageArchives,
    private readonly archives: StoredArchives,
    private readonly store: PackageStore,
    private readonly hosts: PackageHosts,
  ) {}

  /** Does nothing when somebody else has claimed the installation since. */
  async install(id: string, epoch: number, signal: AbortSignal): Promise<void> {
    const claimed = await this.packages.claim(id, epoch);
    if (!claimed) return;
    const ending = await this.tried(claimed, signal);
    const isOurs = await this.settled(claimed, ending);
    // An archive that no row names is of no use: that of a failed installation, or of one that another worker ended.
    const unused = ending.kind === 'failed' ? claimed.archiveId : isOurs ? null : ending.archiveId;
    if (unused !== null && (isOurs || unused !== claimed.archiveId)) await this.archives.delete(unused);
  }

  private async tried(claimed: ClaimedPiece, signal: AbortSignal): Promise<InstallationEnding> {
    try {
      return await this.installed(claimed, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failed', ...failureOf(error) };
    }
  }

  private async installed(claimed: ClaimedPiece, signal: AbortSignal): Promise<InstallationEnding> {
    const { name, version, archiveId } = claimed;
    const archive = await (archiveId === null
      ? this.registry.fetch({ name, version }, signal)
      : this.archives.read(archiveId));
    const integrity = integrityOf(archive);
    if (claimed.integrity !== null && claimed.integrity !== integrity) throw new PieceIntegrityError(claimed);
    const wanted = { name, version, integrity };
    try {
      const { folder, main, dependencies } = await this.store.ensure(wanted, () => Promise.resolve(archive));
      assertNoDependencies(name, dependencies);
      const description = await this.described({ name, folder, main }, signal);
      const stored = archiveId ?? (await this.archives.write(archive, claimed));
      return { kind: 'installed', integrity, archiveId: stored, bytes: archive.length, description };
    } catch (error) {
      await this.store.discard(wanted);
      throw error;
    }
  }

  private async described(
    { name, folder, main }: { name: string; folder: string; main: string },
    signal: AbortSignal,
  ): Promise<unknown> {
    const answer = await this.hosts.describe(folder, main, signal);
    if ('error' in answer) throw new ArchiveError(`The package cannot be loaded: ${inShort(answer.error.message)}`);
    const { actions, triggers } = readPublishedPiece(name, answer.value);
    if (Object.keys(actions).length + Object.keys(triggers).length === 0)
      throw new ArchiveError(`The piece of ${name} has neither actions nor triggers.`);
    return answer.value;
  }

  /** Whether this worker has ended the installation. */
  private async settled(claimed: ClaimedPiece, ending: InstallationEnding): Promise<boolean> {
    try {
      return await this.packages.settle(claimed, ending);
    } catch (error) {
      if (!(error instanceof PieceIntegrityError)) throw error;
      return this.packages.settle(claimed, { kind: 'failed', ...failureOf(error) });
    }
  }
}

function assertNoDependencies(name: string, dependencies: Readonly<Record<string, string>>): void {
  const count = Object.keys(dependencies).length;
  if (count > 0)
    throw new ArchiveError(`${name} needs ${count} other packages, and only bundled packages can be used.`);
}

/** The first line of what a package threw. Further lines tell of its code. */
const inShort = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, LONGEST_REASON);

/** Why a package cannot be installed. Rejects with what is no fault of the package, nor a rule of this worker. */
function failureOf(error: unknown): InstallationFailure {
  const isOfPackage =
    error instanceof ActionFailure ||
    error instanceof ArchiveError ||
    error instanceof HostFailure ||
    error instanceof PackageFetchError ||
    (error instanceof DomainError && !(error instanceof ServiceUnavailableError));
  if (!isOfPackage) throw error;
  const code = error instanceof PieceIntegrityError ? error.code : 'PIECE_NOT_INSTALLED';
  return { code, problem: error.message };
}
