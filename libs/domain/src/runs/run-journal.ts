import type { TriggerKind } from '../trigger-kind';
import type { FlowRunStatus, RunEnvironment } from '../run-status';
import type { FailedStep } from './flow-run';
import type { NewWait, WaitEnding } from '../journal/step-wait';
import type { RunPayload } from './run-payload';
import type { RecordedStep, StepRecord } from '../journal/step-record';

// The worker's side of a run: its row and its journal of finished steps.
//
// J1. Every write names the epoch it was claimed under and changes nothing when that epoch has passed (fencing).
// J2. A final status is written together with the last segment, once, by compare-and-set on status and epoch.
// J3. A paused run has let go of its worker: the pause raises the epoch and ends the lease, in the transaction that
//     writes the run's waits and starts its children. A wait that has ended by then leaves the run RUNNING.
// J4. A promise resolves when its write is durable; writes of many runs share one statement.

/** What the row of a run tells, however large all the rest is. */
export interface RunHead {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  status: FlowRunStatus;
  environment: RunEnvironment;
  triggerType: TriggerKind;
  epoch: number;
  /** Another worker's lease on it has not ended. */
  isLeased: boolean;
  /** When a worker first began it; null when none has. */
  startTime: Date | null;
  /** The step that the run tests alone; null when it goes through the whole flow. */
  testStep: string | null;
  /** From when its time counts: its start, later by as long as it was paused. Null when it has not started. */
  timeCountsFrom: Date | null;
  /** How often a worker was lost that held the run; one whose lease has run out counts, before the next claim too. */
  workerDeaths: number;
  parentRunId: string | null;
  /** How many runs are above it. */
  depth: number;
  isAwaited: boolean;
}

/** A run as a worker needs it. */
export interface RunToExecute extends RunHead {
  payload: RunPayload;
  /** Steps recorded by an earlier claim, in order. */
  recorded: RecordedStep[];
  /** Number of the next segment. */
  nextSegment: number;
  /** How the waits of its paused steps ended, by request id; those that go on are absent. */
  waitEndings: ReadonlyMap<string, WaitEnding>;
  /** Why what it did cannot be read; then it has no records here. */
  unreadable: UnreadableReason | null;
}

/** `newer`: a later release wrote it, and can read it. */
export type UnreadableReason = 'broken' | 'newer';

export interface RunClaim {
  runId: string;
  epoch: number;
}

export interface JournalSegment extends RunClaim {
  /** Counts from 0 within the run. */
  seq: number;
  records: readonly StepRecord[];
  /** The run's, with these records. */
  stepsCount: number;
}

export interface RunEnding extends JournalSegment {
  status: FlowRunStatus;
  startTime: Date;
  finishTime: Date;
  failedStep: FailedStep | null;
  statusReason: string | null;
  tags: readonly string[];
}

/** A run that lets go of its worker until one of its waits ends. */
export interface RunPause extends JournalSegment {
  startTime: Date;
  pausedAt: Date;
  tags: readonly string[];
  /** All of the run's that go on. One whose row an earlier pause wrote stays as it is. */
  waits: readonly NewWait[];
}

/** `resumed`: one of the waits has ended already; the run has no owner, and may be taken at once. */
export type PauseResult = 'paused' | 'resumed' | 'claimLost';

export abstract class RunJournal {
  /** Null when there is no such run. Calls made at the same time share one statement. */
  abstract load(runId: string): Promise<RunToExecute | null>;
  /** For a run that cannot be loaded in time. Null when there is no such run. */
  abstract loadHead(runId: string): Promise<RunHead | null>;
  /**
   * Makes the caller the run's owner until the lease ends: epoch + 1, `startTime` set when it was null.
   * Null when the epoch has passed or the run has ended.
   */
  abstract claim(claim: RunClaim, startTime: Date, leaseSeconds: number): Promise<number | null>;
  /** Prolongs leases; answers the ids of the runs that are still the caller's. */
  abstract renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /**
   * Gives a claimed run back before its lease ends, in the next epoch: another worker may take it at once, but none that
   * loaded it before. False when the claim has passed.
   */
  abstract release(claim: RunClaim): Promise<boolean>;
  /**
   * The caller lives, and no longer has these runs, however it lost them. One that nobody has taken is given back, as
   * `release` does; of one that another worker has taken, the caller no longer counts as a worker that was lost.
   */
  abstract disown(claims: readonly RunClaim[]): Promise<void>;
  /** False when the claim has passed: the caller must stop. */
  abstract append(segment: JournalSegment): Promise<boolean>;
  /**
   * False when another ending, or another owner, came first: nothing was changed. An ending as STOPPED adds its records
   * to a run that was ended from outside under the same claim.
   */
  abstract finish(ending: RunEnding): Promise<boolean>;
  /** Children of new waits are enqueued when this resolves. `claimLost` as `finish` is false. */
  abstract pause(pause: RunPause): Promise<PauseResult>;
}
