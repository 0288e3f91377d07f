import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { ArchiveError } from './archive-error';

const MOST_BYTES = 50 * 1024 * 1024;
/** What no program reads: declarations, maps and texts for people. */
const NOT_NEEDED = /\.(?:d\.[cm]?ts|map|md|markdown|tsbuildinfo)$/i;
const LONG_AGO = new Date(0);

/** Folders whose files keep their places in an archive. */
export interface PackedFolders {
  readonly root: string;
  /** The paths of the folders in the root. One may be in another. */
  readonly folders: readonly string[];
}

/**
 * Makes an archive of a package with these files, by their paths, and all files in some folders that programs may read.
 * The same files make the same archive. Throws ArchiveError over 50 MB.
 */
export async function packFiles(
  files: Readonly<Record<string, string>>,
  { root, folders }: PackedFolders = { root: '', folders: [] },
): Promise<Buffer> {
  const inFolders = await Promise.all(folders.map((below) => filesIn(root, below)));
  return packed(async (archive) => {
    for (const [path, text] of Object.entries(files)) await addFile(archive, path, Buffer.from(text));
    for (const path of [...new Set(inFolders.flat())].sort())
      await addFile(archive, path, await readFile(join(root, path)));
  });
}

/** Makes an archive of a package of all files in a folder that programs may read. Throws ArchiveError over 50 MB. */
export async function packFolder(folder: string): Promise<Buffer> {
  return packed(async (archive) => {
    for (const path of await filesIn(folder)) await addFile(archive, path, await readFile(join(folder, path)));
  });
}

async function packed(fill: (archive: Pack) => Promise<void>): Promise<Buffer> {
  const archive = pack();
  const parts: Buffer[] = [];
  const written = pipeline(archive, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    let bytes = 0;
    for await (const part of compressed) {
      bytes += part.length;
      if (bytes > MOST_BYTES)
        throw new ArchiveError(`The package has more than ${MOST_BYTES} bytes with the packages that it needs.`);
      parts.push(part);
    }
  });
  await Promise.all([written, fill(archive).then(() => archive.finalize())]);
  return Buffer.concat(parts);
}

/** Resolves when the file was read on, so that a large folder is not in memory whole. */
const addFile = (archive: Pack, path: string, content: Buffer): Promise<void> =>
  new Promise((added, failed) => {
    const header = { name: `package/${path}`, mtime: LONG_AGO, mode: 0o644, size: content.length };
    archive.entry(header, (error) => (error ? failed(error) : added())).end(content);
  });

/** The paths in the folder, in an order that depends on nothing else. npm keeps notes of its own beside packages. */
async function filesIn(folder: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  const paths: string[] = [];
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await filesIn(folder, path)));
    else if (entry.isFile() && !NOT_NEEDED.test(entry.name) && entry.name !== '.package-lock.json') paths.push(path);
  }
  return paths;
}
