import type { TriggerKind } from '../trigger-kind';
import type { FlowRunStatus } from '../run-status';
import type { Page, PageRequest } from '../page';
import type { FlowRun } from './flow-run';
import type { RunPayload } from './run-payload';
import type { FlowRunFilter } from './run-selection';
import type { RecordedStep } from '../journal/step-record';
import type { StepResults, TriggerResult } from '../journal/step-results';

/** A run with what its steps did. `steps` is absent when the run has not started, or its data is gone or unreadable. */
export interface FlowRunDetail extends FlowRun {
  steps?: { [stepName: string]: TriggerResult | StepResults[string] };
  /** One sentence, instead of the steps, when they are on record and cannot be read. */
  stepsUnreadable?: string;
  logsFileId: string | null;
}

/** A run with all that another run can be made of. */
export interface RunWithRecord {
  run: FlowRun;
  testStep: string | null;
  triggerType: TriggerKind;
  depth: number;
  /** Null when its data was purged. */
  data: RunData | null;
}

/** What a run was given, and what it did; each is null when it cannot be read. */
export interface RunData {
  payload: RunPayload | null;
  recorded: readonly RecordedStep[] | null;
}

/** Failed runs that failed in the same way: flow, step and fingerprint of the message. */
export interface FailureGroup {
  flowId: string;
  flowDisplayName: string;
  stepName: string;
  stepDisplayName: string;
  fingerprint: string;
  /** Of the newest of them. */
  message: string;
  count: number;
  firstSeen: Date;
  lastSeen: Date;
  lastRunId: string;
}

/** Runs, for reading. Execution goes through RunJournal. */
export abstract class FlowRunRepository {
  abstract list(filter: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>>;
  abstract count(filter: FlowRunFilter): Promise<number>;
  abstract countByStatus(filter: FlowRunFilter): Promise<Record<FlowRunStatus, number>>;
  /** The most frequent first, at most `limit`. */
  abstract failures(filter: FlowRunFilter, limit: number): Promise<FailureGroup[]>;
  /** As getDetail, for making another run of it. */
  abstract getRecorded(runId: string, projectIds: readonly string[] | 'any'): Promise<RunWithRecord>;
  /** A run that is to have a child; throws as getDetail. */
  abstract getParent(
    runId: string,
    projectIds: readonly string[] | 'any',
  ): Promise<Pick<RunWithRecord, 'run' | 'depth'>>;
  /** Without its steps; throws as getDetail. */
  abstract get(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRun>;
  /** Throws EntityNotFoundError; a foreign project's run is an unknown run. */
  abstract getDetail(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRunDetail>;
}
