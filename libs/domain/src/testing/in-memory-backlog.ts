import { Backlog, type BacklogPage, type BacklogReading } from '../backlog/backlog';

/** Counts the runs that the test lists in `projects`. The ids of its runs are their positions in this list. */
export class InMemoryBacklog extends Backlog {
  published: BacklogReading | null = null;
  /** The projects of the runs that have not begun, oldest first. */
  projects: string[] = [];

  countPage(afterId: string | null, limit: number): Promise<BacklogPage> {
    // The id of a real run is not a number, and counting then begins at the first run.
    const start = Number(afterId) || 0;
    const page = this.projects.slice(start, start + limit);
    const runsByProject = new Map<string, number>();
    for (const id of page) runsByProject.set(id, (runsByProject.get(id) ?? 0) + 1);
    const nextAfterId = page.length === limit ? String(start + limit) : null;
    return Promise.resolve({
      bytes: page.length,
      oldest: page.length > 0 ? new Date(start) : null,
      runsByProject,
      nextAfterId,
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
