import {
  DomainError,
  PieceIntegrityError,
  PiecePackages,
  ServiceUnavailableError,
  type ClaimedPiece,
  type InstallationEnding,
  type InstallationFailure,
} from '@millrace/domain';
import { ArchiveError, HostFailure, integrityOf, type StoredPackage } from '@millrace/piece-hosts';
import { ActionFailure, PackageCatalogue, readPublishedPiece } from '@millrace/pieces';
import { PackageArchives, PackageFetchError } from '@millrace/sandbox';
import { Injectable, Logger } from '@nestjs/common';
import { PackageForms } from './package-forms';
import { PackageHosts } from './package-hosts';
import { StoredArchives } from '@millrace/persistence';

const LONGEST_REASON = 300;
/** Trying again soon would not help, and whoever waits can tell an administrator. */
const NO_ROOM = 'The worker has no room on its disk for the package.';
const FULL = ['ENOSPC', 'EDQUOT'];
/** A claim that was not renewed for 90 s may be taken by another worker. */
const RENEW_EVERY_MS = 25_000;

/**
 * Installs packages: fetches or reads the archive, unpacks it, builds it with what it needs, has the package describe
 * itself, and puts all on record.
 * What is wrong with the package ends the installation with a sentence. What is wrong with this service rejects, and the
 * installation is tried again.
 */
@Injectable()
export class PackageInstaller {
  private readonly logger = new Logger(PackageInstaller.name);

  constructor(
    private readonly packages: PiecePackages,
    private readonly registry: PackageArchives,
    private readonly archives: StoredArchives,
    private readonly forms: PackageForms,
    private readonly hosts: PackageHosts,
  ) {}

  /** Does nothing when somebody else has claimed the installation since. */
  async install(id: string, epoch: number, signal: AbortSignal): Promise<void> {
    const claimed = await this.packages.claim(id, epoch);
    if (!claimed) return;
    const renewal = setInterval(() => void this.renew(claimed), RENEW_EVERY_MS).unref();
    try {
      const ending = await this.tried(claimed, signal);
      const isOurs = await this.settled(claimed, ending);
      for (const unused of unusedArchives(claimed, ending, isOurs)) await this.archives.delete(unused);
    } finally {
      clearInterval(renewal);
    }
  }

  private async renew(claimed: ClaimedPiece): Promise<void> {
    await this.packages.renew(claimed).catch((error: unknown) => this.logger.warn(String(error)));
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
    const { name, version, archiveId, lock } = claimed;
    const archive = await (archiveId === null
      ? this.registry.fetch({ name, version }, signal)
      : this.archives.read(archiveId));
    const integrity = integrityOf(archive);
    if (claimed.integrity !== null && claimed.integrity !== integrity) throw new PieceIntegrityError(claimed);
    return this.forms.firstOfUse({ name, version, archive, lock, signal }, async (form) => {
      if (form.unpacked.hasNativeParts) await assertMayHaveNativeParts({ ...claimed, integrity });
      const description = await this.described(form.unpacked, signal);
      const isStored = archiveId !== null && form.built === null;
      const stored = isStored ? archiveId : await this.archives.write(form.archive, claimed);
      const content = { archiveId: stored, bytes: form.archive.length, built: form.built };
      return { kind: 'installed', integrity, description, ...content };
    });
  }

  private async described(unpacked: StoredPackage, signal: AbortSignal): Promise<unknown> {
    const { name } = unpacked;
    const answer = await this.hosts.describe(unpacked, signal);
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

/** Compiled programs obey nothing of Node.js, so somebody must have decided about each package that has some. */
async function assertMayHaveNativeParts(claimed: ClaimedPiece & { readonly integrity: string }): Promise<void> {
  if (claimed.byAdmin || (await PackageCatalogue.read()).listsNativeParts(claimed)) return;
  throw new ArchiveError(
    'The package has native parts, which the catalogue does not list for it. An administrator can install it.',
  );
}

/** Archives that no row names: that of a failed installation, one that was built into another, one that came too late. */
function unusedArchives({ archiveId: sent }: ClaimedPiece, ending: InstallationEnding, isOurs: boolean): string[] {
  const written = ending.kind === 'installed' && ending.archiveId !== sent ? [ending.archiveId] : [];
  if (!isOurs) return written;
  const isSentUsed = ending.kind === 'installed' && written.length === 0;
  return sent === null || isSentUsed ? [] : [sent];
}

/** The first line of what a package threw. Further lines tell of its code. */
const inShort = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, LONGEST_REASON);

const isDiskFull = (error: unknown): boolean => FULL.includes((error as NodeJS.ErrnoException).code ?? '');

/** Why a package cannot be installed. Rejects with what is no fault of the package, nor a rule of this worker. */
function failureOf(error: unknown): InstallationFailure {
  if (isDiskFull(error)) return { code: 'PIECE_NOT_INSTALLED', problem: NO_ROOM };
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
