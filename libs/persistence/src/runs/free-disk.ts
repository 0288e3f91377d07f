import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isOver, Outage, type Clock, type FreeDisk, type Say } from '@millrace/domain';

const LOOKS_EVERY_MS = 2_000;

/** The free space of the disk that holds a folder, or will hold it once it is made. `bytes` is null until it is known, and when it cannot be read. */
export class FreeDiskAround implements FreeDisk {
  bytes: number | null = null;
  private lookedAt = -Infinity;
  private first: Promise<void> | null = null;
  private readonly outage: Outage;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    say: Say,
  ) {
    this.outage = new Outage(`The free space of the disk of ${folder}`, say);
  }

  keepUp(): void {
    const now = this.clock.now().getTime();
    if (!isOver(this.lookedAt, LOOKS_EVERY_MS, now)) return;
    this.lookedAt = now;
    const look = this.look();
    this.first ??= look;
  }

  async firstMeasurement(): Promise<void> {
    this.keepUp();
    await this.first;
  }

  private async look(): Promise<void> {
    try {
      const { bavail, bsize } = await diskOf(resolve(this.folder));
      this.bytes = bavail * bsize;
      this.outage.succeeded();
    } catch (error) {
      this.bytes = null;
      this.outage.failed(error);
    }
  }
}

/** The disk of the folder, or of its nearest parent that exists. */
async function diskOf(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return diskOf(parent);
  }
}

/** The free disk when the database is on another machine: its space is unknown. */
export const FAR_DISK: FreeDisk = { bytes: null, keepUp: () => undefined, firstMeasurement: () => Promise.resolve() };
