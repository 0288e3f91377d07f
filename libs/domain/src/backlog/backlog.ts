/** What of a project has not begun. */
export interface ProjectBacklog {
  runs: number;
  /** How far its runs stand behind those of others: see `backlogLevel`. */
  level: number;
}

/** The runs of the installation that were accepted and have not begun, as they were counted last. */
export interface BacklogReading {
  measuredAt: Date;
  runs: number;
  /** Of their payloads. */
  bytes: number;
  /** When the oldest of them was accepted. */
  oldest: Date | null;
  /** Of the projects that have many. */
  projects: ReadonlyMap<string, ProjectBacklog>;
}

/** A part of the runs under way, in the order in which they were accepted. */
export interface BacklogPage {
  bytes: number;
  oldest: Date | null;
  runsByProject: ReadonlyMap<string, number>;
  /** Where the next page begins; null when this was the last one. */
  nextAfterId: string | null;
}

/** How many runs have not begun. One process counts at a time; the others read what it found. */
export abstract class Backlog {
  /** Looks at so many runs under way after that id; null: from the oldest one. */
  abstract countPage(afterId: string | null, limit: number): Promise<BacklogPage>;
  /** Replaces the reading that was measured at `over`, null for none. When there is another one by now, that stays. */
  abstract publish(reading: BacklogReading, over: Date | null): Promise<void>;
  /** What was published last; null before the first time. */
  abstract read(): Promise<BacklogReading | null>;
}
