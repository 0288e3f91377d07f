import type { Clock } from '../clock';
import type { FileStore } from '../files/file-store';
import type { Duty } from './duty';
import type { Retention } from './retention';

const HOUR_MS = 60 * 60 * 1000;

/** Deletes the files of ended runs when the data of those runs has been kept for long enough. */
export class FileRetention implements Duty {
  readonly name = 'File retention';
  readonly everyMs: number;
  private readonly keptMs: number;

  constructor(
    private readonly files: FileStore,
    private readonly clock: Clock,
    { days, hours }: Retention,
  ) {
    this.keptMs = (hours ?? days * 24) * HOUR_MS;
    this.everyMs = hours === undefined ? HOUR_MS : 60_000;
  }

  async perform(): Promise<void> {
    await this.files.purgeFilesOfRuns(new Date(this.clock.now().getTime() - this.keptMs));
  }
}
