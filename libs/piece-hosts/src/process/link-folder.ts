import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts the files of a folder into another one, which does not exist yet. Both keep one copy where they are on one disk. */
export async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else if (entry.isFile()) await linkFile(source, target);
  }
}

async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes(code)) throw error;
    await copyFile(source, target);
  }
}
