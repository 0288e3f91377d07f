/** The runs of one project that have not begun. */
export interface ProjectBacklog {
  runs: number;
  /** How far its runs stand behind the runs of other projects: see `backlogLevel`. */
  level: number;
}

/** The runs of the installation that were accepted and have not begun, as they were counted last. */
export interface BacklogReading {
  measuredAt: Date;
  runs: number;
  /** The size of their payloads together. */
  bytes: number;
  /** When the oldest of them was accepted; null when there are none. */
  oldest: Date | null;
  /** The projects that have many such runs, by id. */
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
  /**
   * Counts, among the next `limit` runs under way after `afterId`, those that have not begun. Null begins at the
   * oldest.
   */
  abstract countPage(afterId: string | null, limit: number): Promise<BacklogPage>;
  /** Replaces the reading that was measured at `over`; null means that there is none yet. Any other reading stays. */
  abstract publish(reading: BacklogReading, over: Date | null): Promise<void>;
  /** The reading that was published last; null before the first one. */
  abstract read(): Promise<BacklogReading | null>;
}
