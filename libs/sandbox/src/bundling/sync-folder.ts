import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SYNC_MS = 60_000;

/**
 * Resolves when all of a folder is on the disk. The program `sync` does so at once for the whole file system, which
 * takes a small part of the time that thousands of files take one by one, as where a machine has no such program.
 */
export async function syncTree(folder: string, program = 'sync'): Promise<void> {
  try {
    await promisify(execFile)(program, ['-f', folder], { timeout: SYNC_MS });
  } catch {
    await syncOneByOne(folder); // says what is wrong when the disk was the reason
  }
}

async function syncOneByOne(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncOneByOne(path);
    else if (entry.isFile()) await syncPath(path);
  }
  await syncPath(folder);
}

/** Puts a file on the disk, or the names that are in a folder. */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows has no such operation for folders, nor for files that are only read
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
