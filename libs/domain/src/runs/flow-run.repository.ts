import type { TriggerKind } from '../trigger-kind';
import type { FlowRunStatus } from '../run-status';
import type { Page, PageRequest } from '../page';
import type { FlowRun } from './flow-run';
import type { RunHistogram } from './run-histogram';
import type { RunPayload } from '../journal/run-payload';
import type { FlowRunFilter } from './run-selection';
import type { StepPath } from '../journal/step-path';
import type { RecordedStep } from '../journal/step-record';
import type { StepResults, TriggerResult } from '../journal/step-results';

/**
 * A run with its steps. `steps` is absent when the run has not started, or when its data was purged or is unreadable.
 */
export interface FlowRunDetail extends FlowRun {
  steps?: { [stepName: string]: TriggerResult | StepResults[string] };
  /** One sentence that replaces the steps when their records cannot be read. */
  stepsUnreadable?: string;
  /** How large the steps are, as JSON; present when they were left out because they are larger than was asked for. */
  stepsBytes?: number;
  logsFileId: string | null;
}

/** Some records of a run, and what its trigger is. */
export interface RunRecords {
  run: FlowRun;
  trigger: { name: string; type: TriggerKind };
  /** Null when they cannot be read. */
  records: readonly RecordedStep[] | null;
  /** Whether the data of the run was purged. There are no records then. */
  isPurged: boolean;
}

/** Chooses of each record what is kept; null keeps nothing of it. */
export type RecordChoice = (record: RecordedStep) => RecordedStep | null;

/** A run with everything that another run can be made of. */
export interface RunWithRecord {
  run: FlowRun;
  testStep: string | null;
  triggerType: TriggerKind;
  depth: number;
  /** Null when the data of the run was purged. */
  data: RunData | null;
}

/** The payload and the records of a run; each is null when it cannot be read. */
export interface RunData {
  payload: RunPayload | null;
  recorded: readonly RecordedStep[] | null;
}

/** The runs that failed in the same way: in the same flow and step, with the same fingerprint of the message. */
export interface FailureGroup {
  flowId: string;
  flowDisplayName: string;
  stepName: string;
  stepDisplayName: string;
  fingerprint: string;
  /** The message of the newest run of the group. */
  message: string;
  count: number;
  firstSeen: Date;
  lastSeen: Date;
  lastRunId: string;
}

/** More runs of a flow than this are not counted for its summary, so that it takes no longer for busy flows. */
export const MOST_RUNS_COUNTED = 100;

/** What a list of flows shows of the runs of one. Archived runs and test runs do not count. */
export interface FlowRunSummary {
  flowId: string;
  lastRun: { id: string; status: FlowRunStatus; created: Date; finishTime: Date | null } | null;
  /** The number of runs since the moment asked for, at most MOST_RUNS_COUNTED. */
  runs: number;
  /** How many of them failed, at most MOST_RUNS_COUNTED. */
  failed: number;
}

/** Reads runs. Workers use RunJournal instead. */
export abstract class FlowRunRepository {
  abstract list(filter: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>>;
  /** The runs with these ids that exist, in any project and order. The caller checks who may see them. */
  abstract findAll(runIds: readonly string[]): Promise<FlowRun[]>;
  abstract count(filter: FlowRunFilter): Promise<number>;
  abstract countByStatus(filter: FlowRunFilter): Promise<Record<FlowRunStatus, number>>;
  /** A moment at which or after which every run was created that matches; null when none does. */
  abstract oldest(filter: FlowRunFilter): Promise<Date | null>;
  /** Counts the runs between each two neighbouring edges. There is no bucket when no run matches. */
  abstract histogram(filter: FlowRunFilter, edges: readonly Date[]): Promise<RunHistogram>;
  /** At most `limit` groups, the largest first. */
  abstract failures(filter: FlowRunFilter, limit: number): Promise<FailureGroup[]>;
  /** One summary for each of these flows, in no order; flows of other projects have none or empty ones. */
  abstract summaries(projectId: string, flowIds: readonly string[], createdAfter: Date): Promise<FlowRunSummary[]>;
  /** The run and its records, for making another run; throws as getDetail. */
  abstract getRecorded(runId: string, projectIds: readonly string[] | 'any'): Promise<RunWithRecord>;
  /** The run and its depth, for starting a child of it; throws as getDetail. */
  abstract getParent(
    runId: string,
    projectIds: readonly string[] | 'any',
  ): Promise<Pick<RunWithRecord, 'run' | 'depth'>>;
  /** The run without its steps; throws as getDetail. */
  abstract get(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRun>;
  /**
   * Throws EntityNotFoundError. A run of another project counts as unknown. Steps that are larger than `mostBytes` are
   * left out.
   */
  abstract getDetail(runId: string, projectIds: readonly string[] | 'any', mostBytes?: number): Promise<FlowRunDetail>;
  /**
   * Reads the records of a run one segment after the other and keeps what `choose` returns, so that a large run is never
   * in memory as a whole. `path` may be given when nothing is chosen but the step at this path and what is inside it:
   * segments without them are not parsed. Throws as getDetail.
   */
  abstract getRecords(
    runId: string,
    projectIds: readonly string[] | 'any',
    choose: RecordChoice,
    path?: StepPath,
  ): Promise<RunRecords>;
  /** The output of the trigger; null when it was purged or cannot be read. The caller knows that the run is visible. */
  abstract getPayload(runId: string): Promise<RunPayload | null>;
}
