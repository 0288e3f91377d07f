import type { Clock } from '../clock';
import type { FileStore } from '../files/file-store';
import type { Duty } from './duty';

/** Far longer than a file takes to write or delete. */
const GIVEN_UP_AFTER_MS = 60 * 60 * 1000;

/** Removes files that a process had begun to write or delete when it died. */
export class FileLeftovers implements Duty {
  readonly name = 'File leftovers';
  readonly everyMs = 600_000;

  constructor(
    private readonly files: FileStore,
    private readonly clock: Clock,
  ) {}

  async perform(): Promise<void> {
    await this.files.removeLeftovers(new Date(this.clock.now().getTime() - GIVEN_UP_AFTER_MS));
  }
}
