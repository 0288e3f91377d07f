import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { ArchiveError } from './archive-error';

export interface ArchiveLimits {
  readonly files: number;
  readonly unpackedBytes: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { files: 5_000, unpackedBytes: 100 * 1024 * 1024 };

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never;

/** Characters that some system reads as more than part of a name. */
const UNSAFE = /[\0\\:]/;

/**
 * Writes the files of a package archive (`.tgz`) below a folder, without the folder that all names begin with. Throws
 * ArchiveError for anything but files and folders inside it, and for an archive over the limits, before it is written.
 */
export async function unpackArchive(archive: Buffer, folder: string, limits = ARCHIVE_LIMITS): Promise<void> {
  const entries = extract();
  const reading = pipeline(Readable.from([archive]), createGunzip(), entries);
  reading.catch(() => undefined); // is awaited below
  const seen = { files: 0, bytes: 0 };
  try {
    for await (const entry of entries) await unpack(entry, folder, seen, limits);
    await reading;
  } catch (error) {
    entries.destroy();
    throw error instanceof ArchiveError
      ? error
      : new ArchiveError('The archive is damaged, or is none.', { cause: error });
  }
}

async function unpack(
  entry: Entry,
  folder: string,
  seen: { files: number; bytes: number },
  limits: ArchiveLimits,
): Promise<void> {
  const { name, type } = entry.header;
  if (type !== 'file' && type !== 'directory') throw new ArchiveError(`The archive has ${name}, which is no file.`);
  const path = join(folder, pathIn(name));
  if (type === 'directory') return void entry.resume();
  if (++seen.files > limits.files) throw new ArchiveError(`The archive has more than ${limits.files} files.`);
  const pieces: Buffer[] = [];
  for await (const piece of entry as AsyncIterable<Buffer>) {
    seen.bytes += piece.length;
    if (seen.bytes > limits.unpackedBytes)
      throw new ArchiveError(`The files of the archive have more than ${limits.unpackedBytes} bytes.`);
    pieces.push(piece);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeNew(path, name, Buffer.concat(pieces));
}

async function writeNew(path: string, name: string, content: Buffer): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o644 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'EISDIR' && code !== 'ENOTDIR') throw error;
    throw new ArchiveError(`The archive has ${name} twice.`, { cause: error });
  }
}

/** The path of an entry in the folder of the package. */
function pathIn(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || UNSAFE.test(name))
    throw new ArchiveError(`The archive has ${JSON.stringify(name)}, which is not in its folder.`);
  return parts.slice(1).join('/');
}
