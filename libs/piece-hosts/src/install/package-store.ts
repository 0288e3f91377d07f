import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveError } from './archive-error';
import { hashOfFolder } from './folder-hash';
import { readManifest, type PackageManifest } from './package-manifest';
import { ARCHIVE_LIMITS, unpackArchive, type ArchiveLimits } from './unpack-archive';

/** The rules by which archives are unpacked. A new number keeps folders of older rules from being used. */
const UNPACKED_BY = 2;
const DIGITS = 40;
/** What is in the folder of a package: its files, and the hash by which they are known to be whole. */
const FILES = 'package';
const HASH = 'package.sha256';

/**
 * Folders that are named after their content and never change. They appear whole, several workers may share them, and
 * those that nobody uses for long are removed.
 */
export interface ContentFolders {
  /** The folder of this name, counted as used now. Undefined when it is not there. */
  use(name: string): Promise<string | undefined>;
  /** Keeps the folder until the work has ended. */
  holding<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** A new folder for what is not complete yet. */
  workplace(): Promise<string>;
  clear(workplace: string): Promise<void>;
  /** Moves a complete folder to its name once all of it is on the disk, unless another worker was faster. */
  add(folder: string, name: string): Promise<string>;
  remove(name: string): Promise<void>;
  /** Removes what nobody uses until so many bytes are free. False when too much is in use. */
  makeRoom(bytes: number, now: number): Promise<boolean>;
}

/** A package that was named, and the hash of the content that it has for ever. */
export interface WantedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-` and the hash as base64, as registries write it. */
  readonly integrity: string;
}

export interface StoredPackage extends PackageManifest {
  readonly folder: string;
  /** The hash of the archive that it was unpacked from. */
  readonly integrity: string;
  /** It has compiled programs, which only a host that loads such runs. */
  readonly hasNativeParts: boolean;
}

type UnpackedPackage = Omit<StoredPackage, 'integrity'>;

/** The hash of an archive, as registries write it. */
export const integrityOf = (archive: Buffer): string =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/** Packages in use leave no room for others. */
export class NoRoomForPackageError extends Error {}

/**
 * The unpacked packages of a worker, each in a folder that is named after its content. A folder that lost or changed a
 * file, as when the machine loses its power, is replaced from the archive.
 */
export class PackageStore {
  private readonly underWay = new Map<string, Promise<StoredPackage>>();
  /** The folders that this process has found whole. A large package takes a while to read, so each is read once. */
  private readonly whole = new Set<string>();

  constructor(private readonly folders: ContentFolders) {}

  /** Where the folders of packages are, in a folder for nothing else. */
  static placeIn(folder: string): string {
    return join(folder, `v${UNPACKED_BY}`);
  }

  /**
   * Returns the package, unpacked from the archive unless it is here already. Throws ArchiveError when the archive has
   * another hash, is none, or holds another package, and NoRoomForPackageError.
   */
  ensure(
    wanted: WantedPackage,
    fetchArchive: () => Promise<Buffer>,
    limits: ArchiveLimits = ARCHIVE_LIMITS,
  ): Promise<StoredPackage> {
    const key = `${wanted.name} ${wanted.version} ${wanted.integrity}`;
    const running = this.underWay.get(key);
    if (running) return running;
    const work = this.find(wanted, fetchArchive, limits).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  /** Keeps the folder of a package until the work has ended. */
  holding<T>(wanted: Pick<WantedPackage, 'integrity'>, work: () => Promise<T>): Promise<T> {
    return this.folders.holding(nameOf(wanted), work);
  }

  /** Has the files of a package looked at again, before it is next returned, because it could not be loaded. */
  doubt(wanted: Pick<WantedPackage, 'integrity'>): void {
    this.whole.delete(nameOf(wanted));
  }

  /** Removes a package that turned out to be of no use. */
  async discard(wanted: Pick<WantedPackage, 'integrity'>): Promise<void> {
    await this.folders.remove(nameOf(wanted));
  }

  private async find(
    wanted: WantedPackage,
    fetchArchive: () => Promise<Buffer>,
    limits: ArchiveLimits,
  ): Promise<StoredPackage> {
    const name = nameOf(wanted);
    const kept = await this.folders.use(name);
    let found = kept === undefined ? null : await this.readWhole(kept, name);
    if (!found) {
      const archive = await fetchArchive();
      if (kept !== undefined) await this.folders.remove(name);
      found = await read(await this.unpack(wanted, archive, limits));
      this.whole.add(name);
    }
    assertIs(found, wanted);
    return { ...found, integrity: wanted.integrity };
  }

  /** The package in this folder, or null when the folder is damaged. */
  private async readWhole(folder: string, name: string): Promise<UnpackedPackage | null> {
    try {
      if (!this.whole.has(name) && !(await isWhole(folder))) return null;
      const found = await read(folder);
      this.whole.add(name);
      return found;
    } catch (error) {
      if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  private async unpack(wanted: WantedPackage, archive: Buffer, limits: ArchiveLimits): Promise<string> {
    const { name, version, integrity } = wanted;
    if (integrityOf(archive) !== integrity)
      throw new ArchiveError(`The archive of ${name} ${version} has another content than it had before.`);
    if (!(await this.folders.makeRoom(limits.unpackedBytes, Date.now())))
      throw new NoRoomForPackageError('The packages in use leave no room for others; try again soon.');
    const workplace = await this.folders.workplace();
    try {
      const folder = join(workplace, 'complete');
      const files = join(folder, FILES);
      await mkdir(files, { recursive: true });
      await chmod(files, 0o755); // mkdir takes what the umask forbids from a mode
      await unpackArchive(archive, files, limits);
      assertIs(await readManifest(files), { name, version });
      await writeFile(join(folder, HASH), await hashOfFolder(files));
      return await this.folders.add(folder, nameOf(wanted));
    } finally {
      await this.folders.clear(workplace);
    }
  }
}

async function read(place: string): Promise<UnpackedPackage> {
  const folder = join(place, FILES);
  return { ...(await readManifest(folder)), folder, hasNativeParts: await hasNativeParts(folder) };
}

const isWhole = async (place: string): Promise<boolean> =>
  (await readFile(join(place, HASH), 'utf8')) === (await hashOfFolder(join(place, FILES)));

function assertIs(found: PackageManifest, { name, version }: Pick<WantedPackage, 'name' | 'version'>): void {
  if (found.name !== name || found.version !== version)
    throw new ArchiveError(`The archive holds ${found.name} ${found.version}, and not ${name} ${version}.`);
}

/** The hash alone names the folder: what a package is called says nothing about its content. */
const nameOf = ({ integrity }: Pick<WantedPackage, 'integrity'>): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64')
    .toString('hex')
    .slice(0, DIGITS);

async function hasNativeParts(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true });
  return names.some((name) => name.endsWith('.node'));
}
