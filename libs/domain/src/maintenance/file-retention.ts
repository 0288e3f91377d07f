import { agoBy, type SharedClock } from '../clock';
import type { FileStore } from '../files/file-store';
import type { Duty } from './duty';
import { retentionTimes, type Retention } from './retention';

/** Deletes the files of ended runs when the data of those runs has been kept for long enough. */
export class FileRetention implements Duty {
  readonly name = 'File retention';
  readonly isRoutine = true;
  readonly everyMs: number;
  private readonly keptMs: number;

  constructor(
    private readonly files: FileStore,
    private readonly clock: SharedClock,
    retention: Retention,
  ) {
    ({ keptMs: this.keptMs, everyMs: this.everyMs } = retentionTimes(retention));
  }

  async perform(): Promise<string | void> {
    const deleted = await this.files.purgeFilesOfRuns(await agoBy(this.clock, this.keptMs));
    if (deleted > 0) return `${deleted} files of ended runs were deleted.`;
  }
}
