import type { BuiltArchive, PieceRef } from '@millrace/domain';
import {
  ArchiveError,
  BUILT_ARCHIVE_LIMITS,
  HostFailure,
  integrityOf,
  packFiles,
  packFolder,
  type PackageStore,
  type StoredPackage,
} from '@millrace/piece-hosts';
import { isProblem, type BuiltPackage, type PackageBuilder } from '@millrace/sandbox';

/** A package as workers could keep it: its own archive, or one that was built of it and what it needs. */
export interface PackageForm {
  readonly archive: Buffer;
  readonly built: BuiltArchive | null;
  readonly unpacked: StoredPackage;
}

/** The archive of a package, and the lock file of its first installation. */
export interface PackageToTry extends PieceRef {
  readonly archive: Buffer;
  readonly lock: string | null;
  readonly signal: AbortSignal;
}

const MAIN = 'index.js';

/** Finds the form in which a package works: as it is, as one module with what it needs, or with that as files. */
export class PackageForms {
  constructor(
    private readonly store: PackageStore,
    private readonly builder: PackageBuilder,
  ) {}

  /**
   * Gives `use` each form until one is of use, and resolves with what it gave. No other form stays unpacked. Throws
   * ArchiveError when the package cannot be unpacked or built, and otherwise what `use` threw.
   */
  async firstOfUse<T extends object>(wanted: PackageToTry, use: (form: PackageForm) => Promise<T>): Promise<T> {
    const { name, version, archive, lock, signal } = wanted;
    const own = { name, version, integrity: integrityOf(archive) };
    const unpacked = await this.store.ensure(own, () => Promise.resolve(archive));
    if (Object.keys(unpacked.dependencies).length === 0)
      return this.unlessOfNoUse({ archive, built: null, unpacked }, own.integrity, use);
    try {
      const result = await this.builder.build(
        { ...unpacked, lock },
        (built) => this.firstBuilt(wanted, built, use),
        signal,
      );
      if (isProblem(result)) throw new ArchiveError(result.problem);
      return result;
    } finally {
      await this.store.discard(own);
    }
  }

  private async firstBuilt<T>(
    wanted: PackageToTry,
    { bundle, folder, lock }: BuiltPackage,
    use: (form: PackageForm) => Promise<T>,
  ): Promise<T> {
    const { name, version, signal } = wanted;
    if (!isProblem(bundle)) {
      const manifest = JSON.stringify({ name, version, main: MAIN });
      const files = { 'package.json': manifest, [MAIN]: bundle.script, 'package-lock.json': lock };
      try {
        return await this.tryBuilt(wanted, await packFiles(files, { root: folder, folders: bundle.beside }), lock, use);
      } catch (error) {
        signal.throwIfAborted();
        if (!mayWorkAsFiles(error)) throw error;
      }
    }
    return this.tryBuilt(wanted, await packFolder(folder), lock, use);
  }

  private async tryBuilt<T>(
    { name, version }: PieceRef,
    archive: Buffer,
    lock: string,
    use: (form: PackageForm) => Promise<T>,
  ): Promise<T> {
    const integrity = integrityOf(archive);
    const wanted = { name, version, integrity };
    const unpacked = await this.store.ensure(wanted, () => Promise.resolve(archive), BUILT_ARCHIVE_LIMITS);
    return this.unlessOfNoUse({ archive, built: { integrity, lock }, unpacked }, integrity, use);
  }

  private async unlessOfNoUse<T>(
    form: PackageForm,
    integrity: string,
    use: (form: PackageForm) => Promise<T>,
  ): Promise<T> {
    try {
      return await use(form);
    } catch (error) {
      await this.store.discard({ integrity });
      throw error;
    }
  }
}

/** Whether the bundle alone may be at fault. A package that never ends while it is loaded does so in any form. */
const mayWorkAsFiles = (error: unknown): boolean =>
  error instanceof ArchiveError || (error instanceof HostFailure && error.reason !== 'time');
