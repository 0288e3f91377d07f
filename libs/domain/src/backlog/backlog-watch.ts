import type { Clock } from '../clock';
import { BacklogCount } from './backlog-count';
import { Outage, type Say } from '../outage';
import type { Backlog, BacklogReading } from './backlog';
import { backlogLevel, nextLevel } from './project-level';

const READ_EVERY_MS = 1_000;
/** When nobody has counted for so long, nothing that was counted or added before is known to be there still. */
const TRUSTED_MS = 60_000;
/** A count needs none: it is published over the one that it began with only. */
const WITHOUT_LEASE = { isHeld: () => true };
const NOTHING: BacklogReading = { measuredAt: new Date(0), runs: 0, bytes: 0, oldest: null, projects: new Map() };

// What this process knows of the backlog: what was counted last, and the runs that it has added since.
//
// B1. Nothing here waits: a reading is asked for now and then, by whoever uses this, and takes effect when it is there.
// B2. A project's level rises at once with what this process adds, and falls only by a count.
// B3. A reading is believed for a minute. When who leads has not counted for so long, this process counts as well: an old
//     reading would refuse runs for ever, and none would let them in without end. While not even that succeeds, a minute's
//     runs are bounded, each minute's anew.
// B4. A run that is continued is in no backlog. Those of one project that come together, such as thousands of timers due in
//     the same second, have the level of a backlog of as many until the next count.
export class BacklogWatch {
  private counted = NOTHING;
  private readonly added = new Map<string, number>();
  private readonly levels = new Map<string, number>();
  private readonly resumed = new Map<string, number>();
  private addedRuns = 0;
  private countedAt: number;
  private readAt = -Infinity;
  private isReading = false;
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

  /** Of the whole installation. */
  get runs(): number {
    return this.counted.runs + this.addedRuns;
  }

  get bytes(): number {
    return this.counted.bytes;
  }

  get oldest(): Date | null {
    return this.counted.oldest;
  }

  runsOf(projectId: string): number {
    return (this.counted.projects.get(projectId)?.runs ?? 0) + (this.added.get(projectId) ?? 0);
  }

  levelOf(projectId: string): number {
    return Math.max(this.levels.get(projectId) ?? 0, this.counted.projects.get(projectId)?.level ?? 0);
  }

  /** Runs that begin were added to the queue. */
  add(projectId: string, runs: number): void {
    this.addedRuns += runs;
    this.added.set(projectId, (this.added.get(projectId) ?? 0) + runs);
    const level = nextLevel(this.levelOf(projectId), this.runsOf(projectId));
    if (level > 0) this.levels.set(projectId, level);
  }

  /** Runs that are continued were added to the queue. */
  addResumed(projectId: string, runs: number): void {
    this.resumed.set(projectId, (this.resumed.get(projectId) ?? 0) + runs);
  }

  /** For a run that is continued. */
  levelOfResumed(projectId: string): number {
    return Math.max(this.levelOf(projectId), backlogLevel(this.resumed.get(projectId) ?? 0));
  }

  /** Asks for a new reading when the last one is a second old. */
  keepUp(): void {
    const now = this.clock.now().getTime();
    if (this.isReading || now - this.readAt < READ_EVERY_MS) return;
    this.readAt = now;
    void this.read(now);
  }

  /** Without an answer the last reading stays, as long as it is believed. */
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
    if (now - this.countedAt > TRUSTED_MS) this.forget(now);
    this.isReading = false;
  }

  private take(reading: BacklogReading, now: number): void {
    this.counted = reading;
    this.countedAt = now;
    this.isOwnCountDue = false;
    this.forgetAdded();
    for (const [projectId, level] of this.levels)
      if (nextLevel(level, this.runsOf(projectId)) === 0) this.levels.delete(projectId);
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
