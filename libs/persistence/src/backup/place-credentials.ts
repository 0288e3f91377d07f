import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from '@millrace/domain';
import { BackupError } from './backup-error';
import { checkPart, isThere, syncFolder, writePart } from './backup-parts';
import type { BackupPart } from './manifest';

/**
 * Puts the credentials of the backup into their place, unless something is there. They are whole and on the disk when it
 * resolves with true. It may be repeated.
 */
export async function placeCredentials(folder: string, part: BackupPart, place: string): Promise<boolean> {
  const isPlaced = await isThere(place).catch((cause: unknown) => {
    throw unwritable(place, cause);
  });
  if (isPlaced) return false;
  await checkPart(folder, part);
  const unfinished = `${basename(place)}.restored`;
  try {
    await rm(join(dirname(place), unfinished), { force: true }); // that of a restore that was killed
    await writePart(dirname(place), unfinished, createReadStream(join(folder, part.path)));
    await rename(join(dirname(place), unfinished), place);
    await syncFolder(dirname(place));
  } catch (cause) {
    throw unwritable(place, cause);
  }
  return true;
}

const unwritable = (place: string, cause: unknown): BackupError =>
  new BackupError(`${place} cannot be written (${reasonOf(cause)}): correct that, and run the same command again.`, {
    cause,
  });
