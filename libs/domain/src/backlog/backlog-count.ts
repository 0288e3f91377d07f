import type { Backlog, BacklogPage, BacklogReading, ProjectBacklog } from './backlog';
import { nextLevel, QUIET_BELOW } from './project-level';
import type { Clock } from '../clock';
import { firstIdAt } from '../id';
import type { Duty, HeldLease } from '../maintenance/duty';

const PAGE_SIZE = 10_000;
/** How long one turn may count. A long backlog is counted in several turns. */
const BUDGET_MS = 40;
const MOST_PROJECTS = 500;
/** The longest time between the making of a run's id and the commit of its row. */
const LATEST_COMMIT_MS = 60_000;
/** A lap that stood still for longer is started anew: another process may have held the leader lease meanwhile. */
const LAP_LASTS_MS = 5_000;
/** How often an empty backlog is published again: each new reading lets a BacklogWatch forget the runs it has added. */
const SAYS_NOTHING_EVERY_MS = 10_000;

/**
 * Counts the runs that have not begun, one page after another, and publishes the sum at the end of a lap. A lap begins
 * at the oldest run of the last reading: only traces of ended runs, which may be many, come before it. A lap replaces
 * only the reading that it began with, so a process that was frozen never replaces a newer reading.
 */
export class BacklogCount implements Duty {
  readonly name = 'Backlog count';
  readonly everyMs = 1_000;
  private lap: Lap | null = null;

  constructor(
    private readonly backlog: Backlog,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    const startedAt = this.clock.now().getTime();
    const lap = (this.lap = this.lapUnderWay(startedAt) ?? new Lap(await this.backlog.read()));
    while (lease.isHeld()) {
      lap.add(await this.backlog.countPage(lap.afterId, PAGE_SIZE), this.clock.now());
      if (lap.isOver) return this.publish(lap);
      if (this.clock.now().getTime() - startedAt >= BUDGET_MS) return;
    }
    this.lap = null;
  }

  private lapUnderWay(now: number): Lap | null {
    return this.lap?.countedAt && now - this.lap.countedAt.getTime() < LAP_LASTS_MS ? this.lap : null;
  }

  private async publish(lap: Lap): Promise<void> {
    this.lap = null;
    const { before, runs, held, bytes, oldest, oldestAccepted } = lap;
    const measuredAt = this.clock.now();
    const isNews = runs + held > 0 || !before || before.runs + before.held > 0;
    if (!isNews && measuredAt.getTime() - before.measuredAt.getTime() < SAYS_NOTHING_EVERY_MS) return;
    const reading = { measuredAt, runs, held, bytes, oldest, oldestAccepted, projects: largestProjects(lap) };
    await this.backlog.publish(reading, before?.measuredAt ?? null);
  }
}

/** The projects with many runs that have not begun. Runs that are held delay no other project, so they raise no level. */
function largestProjects({ before, byProject }: Lap): Map<string, ProjectBacklog> {
  const projects = [...byProject]
    .map(([id, { runs, held }]): [string, ProjectBacklog] => {
      return [id, { runs, held, level: nextLevel(before?.projects.get(id)?.level ?? 0, runs) }];
    })
    .filter(([, { runs, held, level }]) => level > 0 || runs + held >= QUIET_BELOW)
    .sort(([, a], [, b]) => b.runs + b.held - (a.runs + a.held));
  return new Map(projects.slice(0, MOST_PROJECTS));
}

/** One pass over all runs that have not begun. */
class Lap {
  isOver = false;
  afterId: string | null;
  runs = 0;
  held = 0;
  bytes = 0;
  oldest: Date | null = null;
  oldestAccepted: Date | null = null;
  /** When the last page of the lap was counted. */
  countedAt: Date | null = null;
  readonly byProject = new Map<string, { runs: number; held: number }>();

  constructor(readonly before: BacklogReading | null) {
    const from = before && (before.oldestAccepted ?? before.oldest ?? before.measuredAt);
    this.afterId = from && firstIdAt(new Date(from.getTime() - LATEST_COMMIT_MS));
  }

  add({ bytes, oldest, oldestAccepted, runsByProject, heldByProject, nextAfterId }: BacklogPage, now: Date): void {
    this.countedAt = now;
    if (oldest && (!this.oldest || oldest < this.oldest)) this.oldest = oldest;
    this.oldestAccepted ??= oldestAccepted;
    this.bytes += bytes;
    this.isOver = nextAfterId === null;
    this.afterId = nextAfterId;
    for (const [projectId, runs] of runsByProject) this.addTo(projectId, runs, 0);
    for (const [projectId, held] of heldByProject) this.addTo(projectId, 0, held);
  }

  private addTo(projectId: string, runs: number, held: number): void {
    const of = this.byProject.get(projectId) ?? { runs: 0, held: 0 };
    this.byProject.set(projectId, { runs: of.runs + runs, held: of.held + held });
    this.runs += runs;
    this.held += held;
  }
}
