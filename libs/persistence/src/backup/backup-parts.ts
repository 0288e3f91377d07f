import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { BackupError } from './backup-error';
import type { BackupPart } from './manifest';

// The files of a backup. Each is written once, is on the disk when its checksum is known, and only its owner may read it.

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Tells whether there is something at the path. Throws when that cannot be seen. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes a part from a stream of bytes. */
export async function writePart(folder: string, path: string, content: Readable): Promise<BackupPart> {
  const file = join(folder, path);
  content.on('error', () => undefined); // the pipeline rejects with it, also when it comes before the pipeline begins
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const seen = new Digest();
  await pipeline(content, seen, createWriteStream(file, { mode: PRIVATE_FILE, flags: 'wx', flush: true }));
  return { path, ...seen.result() };
}

/** Writes a part that is compressed: quickly, because the database is held at one moment meanwhile. */
export function writeCompressed(folder: string, path: string, content: Readable): Promise<BackupPart> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  content.once('error', (error) => gzip.destroy(error));
  return writePart(folder, path, content.pipe(gzip));
}

/** The content of a part that was compressed. */
export function readCompressed(folder: string, { path }: { path: string }): Readable {
  const gunzip = createGunzip();
  const file = createReadStream(join(folder, path));
  file.once('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

/** Throws BackupError when the part is missing, or differs from what was written. */
export async function checkPart(folder: string, part: BackupPart): Promise<void> {
  const seen = new Digest();
  await pipeline(createReadStream(join(folder, part.path)), seen.drained(), async (rest) => {
    for await (const _ of rest) continue;
  }).catch((cause: unknown) => {
    throw new BackupError(`The backup in ${folder} is damaged: ${part.path} cannot be read.`, { cause });
  });
  const { bytes, sha256 } = seen.result();
  if (bytes !== part.bytes || sha256 !== part.sha256)
    throw new BackupError(
      `The backup in ${folder} is damaged: ${part.path} does not have its checksum. Nothing was restored; take another backup.`,
    );
}

/** Makes the names in a folder and in its folders durable. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}

export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows has no such operation
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Counts and digests the bytes that pass. */
class Digest extends Transform {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private keeps = true;

  /** Passes nothing on. */
  drained(): this {
    this.keeps = false;
    return this;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk?: Buffer) => void): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    if (this.keeps) done(null, chunk);
    else done(null);
  }

  result(): { bytes: number; sha256: string } {
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
