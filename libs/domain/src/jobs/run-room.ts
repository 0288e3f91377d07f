import { MAX_RUNS_PER_JOB } from './job-policy';

/** The slots of a worker, as the part that fetches jobs sees them. */
export interface RunRoom {
  /** How many more runs could begin at once. */
  readonly freeSlots: number;
  /** How many runs the worker has fetched that have not begun. */
  readonly notBegun: number;
  /** Whether a run of this project would go before runs that wait here. */
  hasTurnFor(projectId: string): boolean;
  /** Calls the listener whenever `freeSlots` has grown, or `notBegun` has fallen. */
  onMoreRoom(listener: () => void): void;
}

/**
 * How many runs wait in the worker for the slots that become free next: about one job, so that no slot waits for a
 * fetch.
 */
export const SPARE_RUNS = MAX_RUNS_PER_JOB;

/**
 * Whether a worker fetches another job, while `runsOnTheWay` runs of fetched jobs have not arrived yet. The worker
 * leaves runs that it cannot begin soon in the queue: other workers find them there, and runs of other projects may go
 * first.
 */
export const wantsAnotherJob = (
  room: Pick<RunRoom, 'freeSlots' | 'notBegun'>,
  runsOnTheWay: number,
  spareRuns = SPARE_RUNS,
): boolean => room.freeSlots + spareRuns > room.notBegun + runsOnTheWay;
