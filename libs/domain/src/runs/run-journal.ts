import type { TriggerKind } from '../trigger-kind';
import type { FinalRunStatus, FlowRunStatus, RunEnvironment } from '../run-status';
import type { FailedStep } from './flow-run';
import type { NewWait, WaitEnding } from '../journal/step-wait';
import type { RunPayload } from '../journal/run-payload';
import type { RecordedStep, StepRecord } from '../journal/step-record';

// The worker's side of a run: its row and its journal of finished steps.
//
// J1. Every write names the epoch of its claim and changes nothing when that epoch has passed (fencing).
// J2. A final status is written once, together with the last segment, by compare-and-set on status and epoch.
// J3. A pause releases the run: it raises the epoch and ends the lease in the transaction that writes the run's waits
//     and starts its children. When one of the waits has ended by then, the run stays RUNNING.
// J4. A promise resolves when its write is durable. Writes of many runs share one statement.

/** What the row of a run says. It is small, however large the payload and the records are. */
export interface RunHead {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  status: FlowRunStatus;
  environment: RunEnvironment;
  triggerType: TriggerKind;
  epoch: number;
  /** Whether another worker holds a lease on the run. */
  isLeased: boolean;
  /** When a worker first began the run; null when no worker has. */
  startTime: Date | null;
  /** The step that the run tests alone; null when it goes through the whole flow. */
  testStep: string | null;
  /**
   * How much of its time the run had used when it was loaded, in milliseconds, by the journal's clock. The time that it
   * was paused does not count. Null before a start.
   */
  timeUsedMs: number | null;
  /** How many workers were lost while they held the run. A worker counts as soon as its lease has expired. */
  workerDeaths: number;
  parentRunId: string | null;
  /** How many runs are above this run. */
  depth: number;
  isAwaited: boolean;
}

/** A run with everything that a worker needs to execute it. */
export interface RunToExecute extends RunHead {
  payload: RunPayload;
  /** The records that earlier claims wrote, in the order of writing. */
  recorded: RecordedStep[];
  /** The number of the next segment. */
  nextSegment: number;
  /** How the waits of its paused steps ended, by request id. Waits that have not ended are absent. */
  waitEndings: ReadonlyMap<string, WaitEnding>;
  /** Why the records cannot be read; `recorded` is then empty. Null when they can. */
  unreadable: UnreadableReason | null;
}

/** `newer` means that a later release wrote the records and can read them. */
export type UnreadableReason = 'broken' | 'newer';

export interface RunClaim {
  runId: string;
  epoch: number;
  /** Lets the journal know whether anybody is to hear of the change. Without it, somebody may be. */
  projectId?: string;
}

export interface JournalSegment extends RunClaim {
  /** The number of the segment in its run, counting from 0. */
  seq: number;
  records: readonly StepRecord[];
  /** The `stepsCount` of the run, including these records. */
  stepsCount: number;
}

export interface RunEnding extends JournalSegment {
  status: FinalRunStatus;
  startTime: Date;
  finishTime: Date;
  failedStep: FailedStep | null;
  statusReason: string | null;
  tags: readonly string[];
}

/** A pause: the run leaves its worker until one of its waits ends. The journal sets the time of the pause. */
export interface RunPause extends JournalSegment {
  startTime: Date;
  tags: readonly string[];
  /** All waits of the run that have not ended. The row of a wait from an earlier pause stays unchanged. */
  waits: readonly NewWait[];
}

/** `resumed` means that one of the waits has ended already: the run has no owner and may be claimed at once. */
export type PauseResult = 'paused' | 'resumed' | 'claimLost';

/** A worker executes a run for about a second before it claims it. */
export const LONGEST_UNCLAIMED_MS = 5_000;

/**
 * The moment from which the time of a run counts when its journal first hears of it: the start that the worker tells,
 * but never later than `now`, nor earlier than a run is executed without a claim, whatever the worker's clock says.
 */
export const firstMoment = (told: Date, now: Date): Date =>
  new Date(Math.min(now.getTime(), Math.max(told.getTime(), now.getTime() - LONGEST_UNCLAIMED_MS)));

export abstract class RunJournal {
  /** Null when there is no such run. Calls made at the same time share one statement. */
  abstract load(runId: string): Promise<RunToExecute | null>;
  /** Loads the row alone, for a run that cannot be loaded in time. Null when there is no such run. */
  abstract loadHead(runId: string): Promise<RunHead | null>;
  /**
   * Makes the caller the run's owner until the lease ends, and resolves with the new epoch. Sets `startTime` when it
   * was null; a claim without one does not begin the run. Null when the epoch has passed, when the run is not RUNNING,
   * or when another worker holds a lease.
   */
  abstract claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null>;
  /** Extends leases. Resolves with the ids of the runs that the caller still owns. */
  abstract renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /**
   * Releases a claimed run before its lease ends and raises its epoch: another worker may claim the run at once, but
   * only after loading it again. False when the claim has passed.
   */
  abstract release(claim: RunClaim): Promise<boolean>;
  /**
   * Gives up runs that the caller, which lives, has lost for any reason. A run that no other worker has claimed is
   * released as by `release`. When another worker has claimed the run, the caller no longer counts among its lost
   * workers.
   */
  abstract disown(claims: readonly RunClaim[]): Promise<void>;
  /** False when the claim has passed: the caller must stop. */
  abstract append(segment: JournalSegment): Promise<boolean>;
  /**
   * False when another ending or another owner came first; then nothing was changed. An ending as STOPPED adds its
   * records to a run that was ended from outside under the same claim. A STOPPED run takes this ending repeatedly.
   */
  abstract finish(ending: RunEnding): Promise<boolean>;
  /** Resolves when the children of new waits are enqueued. `claimLost` means the same as false of `finish`. */
  abstract pause(pause: RunPause): Promise<PauseResult>;
}
