import { Backlog, type BacklogPage, type BacklogReading } from '../backlog/backlog';

/** Counts the runs that the test lists in `projects`. The ids of its runs are their positions in this list. */
export class InMemoryBacklog extends Backlog {
  published: BacklogReading | null = null;
  /** The projects of the runs that have not begun, oldest first. */
  projects: string[] = [];
  /** The positions of the runs that flow control holds. */
  held: ReadonlySet<number> = new Set();

  countPage(afterId: string | null, limit: number): Promise<BacklogPage> {
    // The id of a real run is not a number, and counting then begins at the first run.
    const start = Number(afterId) || 0;
    const page = this.projects.slice(start, start + limit);
    const isHeld = (_: string, index: number): boolean => this.held.has(start + index);
    const ready = page.findIndex((_, index) => !this.held.has(start + index));
    return Promise.resolve({
      bytes: page.length,
      oldest: ready >= 0 ? new Date(start + ready) : null,
      oldestAccepted: page.length > 0 ? new Date(start) : null,
      runsByProject: countedBy(page.filter((id, index) => !isHeld(id, index))),
      heldByProject: countedBy(page.filter(isHeld)),
      nextAfterId: page.length === limit ? String(start + limit) : null,
    });
  }

  publish(reading: BacklogReading, over: Date | null): Promise<void> {
    if (this.published?.measuredAt.getTime() === over?.getTime()) this.published = reading;
    return Promise.resolve();
  }

  read(): Promise<BacklogReading | null> {
    return Promise.resolve(this.published);
  }
}

function countedBy(projects: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of projects) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
