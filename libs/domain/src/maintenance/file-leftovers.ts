import { agoBy, type SharedClock } from '../clock';
import type { FileStore } from '../files/file-store';
import type { Duty } from './duty';

/** This is far longer than a file takes to write or delete, and an archive to be named by its package. */
const GIVEN_UP_AFTER_MS = 60 * 60 * 1000;

/**
 * Removes the files that a process was writing or deleting when it died, those of deleted projects, and the archives
 * whose process died before a package named them.
 */
export class FileLeftovers implements Duty {
  readonly name = 'File leftovers';
  readonly isRoutine = true;
  readonly everyMs = 600_000;

  constructor(
    private readonly files: FileStore,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const before = await agoBy(this.clock, GIVEN_UP_AFTER_MS);
    const ofProjects = await this.files.purgeFilesOfDeletedProjects();
    const leftovers = await this.files.removeLeftovers(before);
    const archives = await this.files.purgeUnnamedArchives(before);
    if (ofProjects + leftovers + archives > 0)
      return `${ofProjects} files of deleted projects, ${leftovers} unfinished files and ${archives} archives that no package names were removed.`;
  }
}
