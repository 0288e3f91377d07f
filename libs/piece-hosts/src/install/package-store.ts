import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveError } from './archive-error';
import { readManifest, type PackageManifest } from './package-manifest';
import { unpackArchive } from './unpack-archive';

/** The rules by which archives are unpacked. A new number keeps folders of older rules from being used. */
const UNPACKED_BY = 1;
const WORKPLACE = '.unpacking-';
const HOUR_MS = 3_600_000;
const DIGITS = 40;

/** A package that was named, and the hash of the content that it has for ever. */
export interface WantedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-` and the hash as base64, as registries write it. */
  readonly integrity: string;
}

export interface StoredPackage extends PackageManifest {
  readonly folder: string;
}

/** The hash of an archive, as registries write it. */
export const integrityOf = (archive: Buffer): string =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/**
 * The folder of unpacked packages, each in a folder that is named after its content. A folder appears by one rename, so
 * it is complete, and several workers may share them.
 */
export class PackageStore {
  private readonly underWay = new Map<string, Promise<StoredPackage>>();
  private readonly place: string;

  constructor(folder: string) {
    this.place = join(folder, `v${UNPACKED_BY}`);
  }

  /**
   * Returns the package, unpacked from the archive unless it is here already. Throws ArchiveError when the archive has
   * another hash, is none, or holds another package.
   */
  ensure(wanted: WantedPackage, fetchArchive: () => Promise<Buffer>): Promise<StoredPackage> {
    const key = `${wanted.name} ${wanted.version} ${wanted.integrity}`;
    const running = this.underWay.get(key);
    if (running) return running;
    const work = this.find(wanted, fetchArchive).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  /** Removes a package that turned out to be of no use. */
  async discard(wanted: WantedPackage): Promise<void> {
    await rm(join(this.place, folderOf(wanted)), { recursive: true, force: true });
  }

  /** Removes what installations left that died. */
  async sweep(now = Date.now()): Promise<void> {
    for (const name of await readdir(this.place).catch(() => [])) {
      const path = join(this.place, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (name.startsWith(WORKPLACE) && now - mtimeMs > HOUR_MS) await rm(path, { recursive: true, force: true });
    }
  }

  private async find(wanted: WantedPackage, fetchArchive: () => Promise<Buffer>): Promise<StoredPackage> {
    const folder = join(this.place, folderOf(wanted));
    if (!(await isFolder(folder))) await this.unpack(wanted, await fetchArchive(), folder);
    const manifest = await readManifest(folder);
    assertIs(manifest, wanted);
    return { ...manifest, folder };
  }

  private async unpack({ name, version, integrity }: WantedPackage, archive: Buffer, folder: string): Promise<void> {
    if (integrityOf(archive) !== integrity)
      throw new ArchiveError(`The archive of ${name} ${version} has another content than it had before.`);
    await mkdir(this.place, { recursive: true });
    const workplace = await mkdtemp(join(this.place, WORKPLACE));
    try {
      const unpacked = join(workplace, 'package');
      await mkdir(unpacked);
      await chmod(unpacked, 0o755); // mkdir takes what the umask forbids from a mode
      await unpackArchive(archive, unpacked);
      assertIs(await readManifest(unpacked), { name, version });
      await rename(unpacked, folder).catch((error: NodeJS.ErrnoException) => {
        // Another worker was faster. What it unpacked is the same.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      });
    } finally {
      await rm(workplace, { recursive: true, force: true });
    }
  }
}

function assertIs(found: PackageManifest, { name, version }: Pick<WantedPackage, 'name' | 'version'>): void {
  if (found.name !== name || found.version !== version)
    throw new ArchiveError(`The archive holds ${found.name} ${found.version}, and not ${name} ${version}.`);
}

/** The hash alone names the folder: what a package is called says nothing about its content. */
const folderOf = ({ integrity }: WantedPackage): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64')
    .toString('hex')
    .slice(0, DIGITS);

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
