import { statfs } from 'node:fs/promises';
import type { Clock, FreeDisk } from '@millrace/domain';

const LOOKS_EVERY_MS = 2_000;

/** The disk that a folder is on. */
export class FreeDiskAround implements FreeDisk {
  bytes: number | null = null;
  private lookedAt = -Infinity;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  keepUp(): void {
    const now = this.clock.now().getTime();
    if (now - this.lookedAt < LOOKS_EVERY_MS) return;
    this.lookedAt = now;
    void this.look();
  }

  private async look(): Promise<void> {
    this.bytes = await statfs(this.folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null,
    );
  }
}

/** Runs are kept on another machine. */
export const FAR_DISK: FreeDisk = { bytes: null, keepUp: () => undefined };
