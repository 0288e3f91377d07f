import { agoBy, type SharedClock } from '../clock';
import type { FileStore } from '../files/file-store';
import type { Duty } from './duty';

/** This is far longer than a file takes to write or delete. */
const GIVEN_UP_AFTER_MS = 60 * 60 * 1000;

/** Removes the files that a process was writing or deleting when it died, and those of deleted projects. */
export class FileLeftovers implements Duty {
  readonly name = 'File leftovers';
  readonly isRoutine = true;
  readonly everyMs = 600_000;

  constructor(
    private readonly files: FileStore,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const ofProjects = await this.files.purgeFilesOfDeletedProjects();
    const leftovers = await this.files.removeLeftovers(await agoBy(this.clock, GIVEN_UP_AFTER_MS));
    if (ofProjects + leftovers > 0)
      return `${ofProjects} files of deleted projects and ${leftovers} unfinished files were removed.`;
  }
}
