import { isOver, type Clock } from '../clock';
import { RateLimitedError } from '../errors/rate-limited.error';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import type { BacklogWatch } from './backlog-watch';
import { Outage, type Say } from '../outage';
import { refusalOf, type IntakeBounds, type IntakeRefusal } from './intake-bounds';

const RETRY_AFTER_SECONDS = 5;
/** How long nothing was refused when that is said. At a bound, some runs are accepted in every second. */
const OVER_AFTER_MS = 60_000;

/** The free space of the disk that keeps the runs; null when it is unknown, or when another machine keeps them. */
export interface FreeDisk {
  readonly bytes: number | null;
  /** Starts a new measurement when the last one is old, and does not wait for it. */
  keepUp(): void;
  /** Resolves when the space was measured once, or could not be measured. */
  firstMeasurement(): Promise<void>;
}

/**
 * Refuses new runs while the runs that have not begun are at a bound, and accepts runs again when there is room. It says
 * once that it refuses the runs of all projects, and why, and once that it accepts them again.
 */
export class IntakeGate {
  private readonly outage: Outage;
  private refusedAt = 0;

  constructor(
    private readonly backlog: BacklogWatch,
    private readonly disk: FreeDisk,
    private readonly bounds: IntakeBounds,
    private readonly clock: Clock,
    say: Say = () => undefined,
  ) {
    const words = { begins: 'Runs of all projects are refused.', ends: 'Runs of all projects are accepted again.' };
    this.outage = new Outage(words, say);
  }

  /**
   * Looks at the backlog and the disk for the first time. The gate admits every run before, because it does not know of
   * a reason to refuse one.
   */
  async lookFirst(): Promise<void> {
    await Promise.all([this.backlog.firstReading(), this.disk.firstMeasurement()]);
  }

  /** Throws RateLimitedError when this project has to wait, and ServiceUnavailableError when all projects have to. */
  admit(projectId: string): void {
    const refusal = this.refusal(projectId);
    if (refusal?.of === 'project')
      throw new RateLimitedError(RETRY_AFTER_SECONDS, refusal.reason, this.bounds.runsPerProject);
    if (refusal) throw new ServiceUnavailableError(`${refusal.reason}; try again later.`, RETRY_AFTER_SECONDS);
  }

  /** Why the project gets no run now; null when it may have one. */
  refusal(projectId: string): IntakeRefusal | null {
    const { backlog, disk } = this;
    backlog.keepUp();
    disk.keepUp();
    const { runs, bytes, oldest } = backlog;
    const state = { runs, bytes, oldest, runsOfProject: backlog.runsOf(projectId), freeDiskBytes: disk.bytes };
    const now = this.clock.now();
    const refusal = refusalOf(this.bounds, state, now);
    this.note(refusal, now.getTime());
    return refusal;
  }

  private note(refusal: IntakeRefusal | null, now: number): void {
    if (refusal?.of === 'all') {
      this.refusedAt = now;
      this.outage.failed(`${refusal.reason} (${refusal.setting}).`);
    } else if (isOver(this.refusedAt, OVER_AFTER_MS, now)) this.outage.succeeded();
  }
}
