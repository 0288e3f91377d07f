import { chmod, copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies the files of a folder into another one, which does not exist yet, readable to all. They are no links to the
 * same files: a host that could write one would change it for all others.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await copyFile(source, target).then(() => chmod(target, 0o644));
  }
}
