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

/** Runs, for reading. Execution goes through RunJournal. */
export abstract class FlowRunRepository {
  abstract list(filter: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>>;
  /** Throws EntityNotFoundError; a foreign project's run is an unknown run. */
  abstract getDetail(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRunDetail>;
}
