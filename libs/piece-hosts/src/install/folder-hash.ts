import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const READ_AT_ONCE = 8;

/** The hash of the files below a folder: of their paths, and of what is in them. */
export async function hashOfFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  paths.sort();
  const hash = createHash('sha256');
  for (let at = 0; at < paths.length; at += READ_AT_ONCE) {
    const hashes = await Promise.all(paths.slice(at, at + READ_AT_ONCE).map((path) => hashOfFile(folder, path)));
    hash.update(JSON.stringify(hashes));
  }
  return hash.digest('hex');
}

const hashOfFile = async (folder: string, path: string): Promise<[path: string, hash: string]> => [
  relative(folder, path),
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex'),
];
