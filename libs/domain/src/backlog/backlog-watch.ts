import { isOver, type Clock } from '../clock';
import { BacklogCount } from './backlog-count';
import { Outage, type Say } from '../outage';
import type { Backlog, BacklogReading } from './backlog';
import { backlogLevel, nextLevel } from './project-level';

const READ_EVERY_MS = 1_000;
/**
 * How long a reading is believed. Without a new one the runs that were counted or added before may have begun since.
 */
const TRUSTED_MS = 60_000;
/** This process counts without the leader lease: a count replaces only the reading that it began with. */
const WITHOUT_LEASE = { isHeld: () => true };
const NOTHING: BacklogReading = {
  measuredAt: new Date(0),
  runs: 0,
  held: 0,
  bytes: 0,
  oldest: null,
  oldestAccepted: null,
  projects: new Map(),
};

// What this process knows of the backlog: the last reading, and the runs that this process has added since.
//
// B1. No caller waits here: callers ask for a new reading with `keepUp`, and the reading takes effect when it arrives.
//     A caller that cannot go on without any reading waits for the first one with `firstReading`.
// B2. A project's level rises at once with the runs that this process adds, and falls only with a new reading.
// B3. A reading is believed for a minute. When the leader has not counted for a minute, this process counts as well:
//     with an old reading intake would refuse runs for ever, and with no reading it would accept them without a bound.
//     While this count fails too, the bounds apply to the runs of each minute alone.
// B4. A resumed run is not part of the backlog. When many runs of one project are resumed together, such as by
//     thousands of timers due in the same second, they get the level of a backlog of that many runs until the next
//     reading.
export class BacklogWatch {
  private counted = NOTHING;
  private readonly added = new Map<string, number>();
  private readonly levels = new Map<string, number>();
  private readonly resumed = new Map<string, number>();
  private addedRuns = 0;
  private countedAt: number;
  private readAt = -Infinity;
  private isReading = false;
  private first: Promise<void> | null = null;
  private isOwnCountDue = false;
  private readonly ownCount: BacklogCount;
  private readonly outage: Outage;

  constructor(
    private readonly backlog: Backlog,
    private readonly clock: Clock,
    say: Say,
  ) {
    this.countedAt = clock.now().getTime();
    this.ownCount = new BacklogCount(backlog, clock);
    this.outage = new Outage('How many runs wait to begin', say);
  }

  /** The runs of the whole installation that have not begun, held ones included: all of them take room. */
  get runs(): number {
    return this.counted.runs + this.counted.held + this.addedRuns;
  }

  get bytes(): number {
    return this.counted.bytes;
  }

  get oldest(): Date | null {
    return this.counted.oldest;
  }

  /** The runs of the project that have not begun, held ones included. */
  runsOf(projectId: string): number {
    return this.readyOf(projectId) + (this.counted.projects.get(projectId)?.held ?? 0);
  }

  /** Those of them that a worker may begin, as far as it is known. */
  private readyOf(projectId: string): number {
    return (this.counted.projects.get(projectId)?.runs ?? 0) + (this.added.get(projectId) ?? 0);
  }

  levelOf(projectId: string): number {
    return Math.max(this.levels.get(projectId) ?? 0, this.counted.projects.get(projectId)?.level ?? 0);
  }

  /** Notes that runs which have not begun were added to the queue. */
  add(projectId: string, runs: number): void {
    this.addedRuns += runs;
    this.added.set(projectId, (this.added.get(projectId) ?? 0) + runs);
    const level = nextLevel(this.levelOf(projectId), this.readyOf(projectId));
    if (level > 0) this.levels.set(projectId, level);
  }

  /** Notes that resumed runs were added to the queue. */
  addResumed(projectId: string, runs: number): void {
    this.resumed.set(projectId, (this.resumed.get(projectId) ?? 0) + runs);
  }

  /** The level for a resumed run of the project. */
  levelOfResumed(projectId: string): number {
    return Math.max(this.levelOf(projectId), backlogLevel(this.resumed.get(projectId) ?? 0));
  }

  /** Asks for a new reading when the last one is a second old. */
  keepUp(): void {
    const now = this.clock.now().getTime();
    if (this.isReading || !isOver(this.readAt, READ_EVERY_MS, now)) return;
    this.readAt = now;
    const reading = this.read(now);
    this.first ??= reading;
  }

  /** Resolves when the backlog was read once, or could not be read. */
  async firstReading(): Promise<void> {
    this.keepUp();
    await this.first;
  }

  /** When no new reading arrives, the last one stays until TRUSTED_MS have passed. */
  private async read(now: number): Promise<void> {
    this.isReading = true;
    try {
      if (this.isOwnCountDue) await this.ownCount.perform(WITHOUT_LEASE);
      const reading = await this.backlog.read();
      if (reading && reading.measuredAt.getTime() !== this.counted.measuredAt.getTime()) this.take(reading, now);
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed(error);
    }
    if (isOver(this.countedAt, TRUSTED_MS, now)) this.forget(now);
    this.isReading = false;
  }

  private take(reading: BacklogReading, now: number): void {
    this.counted = reading;
    this.countedAt = now;
    this.isOwnCountDue = false;
    this.forgetAdded();
    for (const [projectId, level] of this.levels)
      if (nextLevel(level, this.readyOf(projectId)) === 0) this.levels.delete(projectId);
  }

  private forget(now: number): void {
    for (const projectId of this.counted.projects.keys()) this.levels.set(projectId, this.levelOf(projectId));
    this.counted = { ...NOTHING, measuredAt: this.counted.measuredAt };
    this.countedAt = now;
    this.isOwnCountDue = true;
    this.forgetAdded();
  }

  private forgetAdded(): void {
    this.added.clear();
    this.resumed.clear();
    this.addedRuns = 0;
  }
}
