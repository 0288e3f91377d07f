export const RUN_QUEUE = 'flow-runs';

/** Executes one run. The payload is stored with the run and the job only refers to it, so the queue stays small. */
export interface ExecuteFlowJob {
  runId: string;
  flowVersionId: string;
  projectId: string;
  /** The run that stores the payload. */
  payload: { runId: string };
  executionType: 'BEGIN' | 'RESUME';
}

export const executeFlowJob = (
  run: { id: string; flowVersionId: string; projectId: string },
  executionType: ExecuteFlowJob['executionType'] = 'BEGIN',
): ExecuteFlowJob => ({
  runId: run.id,
  flowVersionId: run.flowVersionId,
  projectId: run.projectId,
  payload: { runId: run.id },
  executionType,
});

/** The job kinds of the interface. A worker has exactly one processor for each kind it serves. */
export type JobKind = 'ExecuteFlowJob';
