/** The runs of one project that have not begun. */
export interface ProjectBacklog {
  runs: number;
  /** Runs that flow control holds, which are not among `runs`. */
  held: number;
  /** How far its runs stand behind the runs of other projects: see `backlogLevel`. */
  level: number;
}

/**
 * The runs of the installation that were accepted and have not begun, as they were counted last. No worker may begin a
 * run that flow control holds, so more workers would not help it.
 */
export interface BacklogReading {
  measuredAt: Date;
  /** Those that a worker may begin. */
  runs: number;
  /** Those that flow control holds. */
  held: number;
  /** The size of the payloads of both together. */
  bytes: number;
  /** Since when the one that has waited longest may begin: its acceptance, or its turn. Null when none may begin. */
  oldest: Date | null;
  /** When the oldest of both was accepted; null when there are none. */
  oldestAccepted: Date | null;
  /** The projects that have many such runs, by id. */
  projects: ReadonlyMap<string, ProjectBacklog>;
}

/** A part of the runs under way, in the order in which they were accepted. */
export interface BacklogPage {
  bytes: number;
  oldest: Date | null;
  oldestAccepted: Date | null;
  runsByProject: ReadonlyMap<string, number>;
  heldByProject: ReadonlyMap<string, number>;
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
