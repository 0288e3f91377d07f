import type { Page, PageRequest } from '../page';
import type { FlowRun, FlowRunStatus } from './flow-run';
import type { StepResults, TriggerResult } from './step-results';

export interface FlowRunFilter {
  projectId: string;
  flowId?: string;
  status?: readonly FlowRunStatus[];
}

/** A run with what its steps did. `steps` is absent when the run has not started. */
export interface FlowRunDetail extends FlowRun {
  steps?: { [stepName: string]: TriggerResult | StepResults[string] };
  logsFileId: string | null;
}

/** A run that has not ended, as the rescuer sees it. */
export interface UnfinishedRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  epoch: number;
  /** The queue job that carries the run. */
  jobId: string;
  startTime: Date | null;
  leaseUntil: Date | null;
}

/** Runs, for reading and for the duties that look after them. Execution goes through RunJournal. */
export abstract class FlowRunRepository {
  abstract list(filter: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>>;
  /** Throws EntityNotFoundError; a foreign project's run is an unknown run. */
  abstract getDetail(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRunDetail>;
  /** RUNNING runs created before `createdBefore`, oldest first, after the cursor id, that no live lease protects. */
  abstract findUnfinished(createdBefore: Date, afterId: string | null, limit: number): Promise<UnfinishedRun[]>;
  /** RUNNING runs that began before `startedBefore`. */
  abstract findOverdue(startedBefore: Date, limit: number): Promise<UnfinishedRun[]>;
  /** Notes which job now carries the run, before that job is added. */
  abstract assignJob(runIds: readonly string[], jobId: string): Promise<void>;
}
