import { MAX_RUNS_PER_JOB } from './job-policy';

/** Where a worker executes its runs, as seen by who fetches jobs for it. */
export interface RunRoom {
  /** How many more runs could begin at once. */
  readonly freeSlots: number;
  /** Runs that are here and have not begun. */
  readonly notBegun: number;
  /** Whether a run of this project would go before others that wait here. */
  hasTurnFor(projectId: string): boolean;
  /** The listener is called whenever `freeSlots` has grown. */
  onFree(listener: () => void): void;
}

/** Runs on hand for the slots that get free next: about one job, so that no slot waits for a fetch. */
export const SPARE_RUNS = MAX_RUNS_PER_JOB;

/**
 * Whether a worker fetches another job, with so many runs of others on their way to it. What it cannot begin soon it
 * leaves in the queue, where other workers find it, and where the runs of other projects may come first.
 */
export const wantsAnotherJob = (
  room: Pick<RunRoom, 'freeSlots' | 'notBegun'>,
  runsOnTheWay: number,
  spareRuns = SPARE_RUNS,
): boolean => room.freeSlots + spareRuns > room.notBegun + runsOnTheWay;
