import type { Clock } from '../clock';
import { RateLimitedError } from '../errors/rate-limited.error';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import type { BacklogWatch } from './backlog-watch';
import { refusalOf, type IntakeBounds } from './intake-bounds';

const RETRY_AFTER_SECONDS = 5;

/** How much is free where runs are kept; null when it is not known, or on another machine. */
export interface FreeDisk {
  readonly bytes: number | null;
  /** Looks again when the last look is old; does not wait for it. */
  keepUp(): void;
}

/** Refuses new runs while what has not begun is at its bound, and accepts again by itself when there is room. */
export class IntakeGate {
  constructor(
    private readonly backlog: BacklogWatch,
    private readonly disk: FreeDisk,
    private readonly bounds: IntakeBounds,
    private readonly clock: Clock,
  ) {}

  /** Throws RateLimitedError when the project has to wait, ServiceUnavailableError when all have. */
  admit(projectId: string): void {
    const { backlog, disk } = this;
    backlog.keepUp();
    disk.keepUp();
    const { runs, bytes, oldest } = backlog;
    const state = { runs, bytes, oldest, runsOfProject: backlog.runsOf(projectId), freeDiskBytes: disk.bytes };
    const refusal = refusalOf(this.bounds, state, this.clock.now());
    if (refusal?.of === 'project') throw new RateLimitedError(RETRY_AFTER_SECONDS, refusal.reason);
    if (refusal) throw new ServiceUnavailableError(`${refusal.reason}; try again later.`, RETRY_AFTER_SECONDS);
  }
}
