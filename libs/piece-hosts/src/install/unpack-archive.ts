import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { ArchiveError } from './archive-error';

export interface ArchiveLimits {
  readonly files: number;
  /** How many folders the files lie in, and how deep. */
  readonly folders: number;
  readonly depth: number;
  /** How many bytes come out of the compression. */
  readonly unpackedBytes: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  files: 5_000,
  folders: 2_000,
  depth: 20,
  unpackedBytes: 100 * 1024 * 1024,
};

/** An archive that was built here of a package and its dependencies has more. */
export const BUILT_ARCHIVE_LIMITS: ArchiveLimits = {
  files: 20_000,
  folders: 8_000,
  depth: 40,
  unpackedBytes: 300 * 1024 * 1024,
};

/** What of an archive was unpacked so far. */
interface Unpacked {
  /** Folders count as well: an archive may name them without end. */
  entries: number;
  files: number;
  readonly folders: Set<string>;
}

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never;

/** No file system that workers have takes longer names, or leads through longer paths. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 2_000;
/** Characters that some system reads as more than part of a name. */
const UNSAFE = /[\0\\:]/;

/**
 * Writes the files of a package archive (`.tgz`) below a folder, without the folder that all names begin with. Throws
 * ArchiveError for anything but files and folders inside it, and for an archive over the limits, before it is written.
 */
export async function unpackArchive(archive: Buffer, folder: string, limits = ARCHIVE_LIMITS): Promise<void> {
  const entries = extract();
  const reading = pipeline(Readable.from([archive]), createGunzip(), bounded(limits), entries);
  reading.catch(() => undefined); // is awaited below
  const seen: Unpacked = { entries: 0, files: 0, folders: new Set() };
  try {
    for await (const entry of entries) await unpack(entry, folder, seen, limits);
    await reading;
  } catch (error) {
    entries.destroy();
    if (error instanceof ArchiveError || isOfTheSystem(error)) throw error;
    throw new ArchiveError('The archive is damaged, or is none.', { cause: error });
  }
}

/** Counts all that comes out of the compression: names and padding too, and what lies between the entries. */
const bounded = ({ unpackedBytes }: ArchiveLimits) =>
  async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > unpackedBytes) throw new ArchiveError(`The archive unpacks to more than ${unpackedBytes} bytes.`);
      yield piece;
    }
  };

/** A full disk, for example, says nothing about the archive. */
const isOfTheSystem = (error: unknown): boolean => typeof error === 'object' && error !== null && 'syscall' in error;

async function unpack(entry: Entry, folder: string, seen: Unpacked, limits: ArchiveLimits): Promise<void> {
  const { name, type } = entry.header;
  if (type !== 'file' && type !== 'directory') throw new ArchiveError(`The archive has ${name}, which is no file.`);
  const path = pathIn(name);
  const most = limits.files + limits.folders;
  if (++seen.entries > most) throw new ArchiveError(`The archive has more than ${most} files and folders.`);
  if (type === 'directory') return void entry.resume(); // folders are made for files
  if (++seen.files > limits.files) throw new ArchiveError(`The archive has more than ${limits.files} files.`);
  const pieces: Buffer[] = [];
  for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece);
  await makeFolder(folder, dirname(path), seen.folders, limits);
  await writeNew(join(folder, path), name, Buffer.concat(pieces));
}

/** Makes the folders of a file, readable to all, whatever the umask forbids. */
async function makeFolder(root: string, path: string, made: Set<string>, limits: ArchiveLimits): Promise<void> {
  const parts = path === '.' ? [] : path.split('/');
  if (parts.length > limits.depth)
    throw new ArchiveError(`The archive has more than ${limits.depth} folders in each other.`);
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(root, ...parts.slice(0, depth));
    if (made.has(part)) continue;
    if (made.add(part).size > limits.folders)
      throw new ArchiveError(`The archive has more than ${limits.folders} folders.`);
    await mkdir(part).catch(refuseTwice(parts.slice(0, depth).join('/')));
    await chmod(part, 0o755);
  }
}

async function writeNew(path: string, name: string, content: Buffer): Promise<void> {
  await writeFile(path, content, { flag: 'wx' }).catch(refuseTwice(name));
  await chmod(path, 0o644);
}

/** Tells of a name that is there already, as a file or as a folder. */
const refuseTwice =
  (name: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EEXIST' && error.code !== 'EISDIR' && error.code !== 'ENOTDIR') throw error;
    throw new ArchiveError(`The archive has ${name} twice.`, { cause: error });
  };

/** The path of an entry in the folder of the package. */
function pathIn(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || UNSAFE.test(name))
    throw new ArchiveError(`The archive has ${JSON.stringify(name)}, which is not in its folder.`);
  const path = parts.slice(1).join('/');
  if (Buffer.byteLength(path) > LONGEST_PATH || parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME))
    throw new ArchiveError(`The archive has ${JSON.stringify(name.slice(0, 100))}…, a name that is too long.`);
  return path;
}
