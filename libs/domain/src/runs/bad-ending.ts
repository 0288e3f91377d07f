import type { RunFinish } from './finish-run';
import type { RunHead } from './run-journal';

/** What an operator reads of a run that ended badly. It has no data of users. */
export interface BadEnding {
  runId: string;
  flowId?: string;
  projectId?: string;
  status: RunFinish['status'];
  /** The name of the step. */
  failedStep?: string;
  reason: string;
}

/** Who is told of the runs that ended badly. */
export abstract class BadEndings {
  abstract note(ending: BadEnding): void;
}

const BAD: ReadonlySet<RunFinish['status']> = new Set(['FAILED', 'TIMEOUT', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR']);

/** Null when the run did not end badly. */
export function badEndingOf(
  { id, flowId, projectId }: Pick<RunHead, 'id' | 'flowId' | 'projectId'>,
  finish: Pick<RunFinish, 'status' | 'failedStep' | 'statusReason'>,
): BadEnding | null {
  if (!BAD.has(finish.status)) return null;
  const { status, failedStep } = finish;
  const step = failedStep === null ? {} : { failedStep: failedStep.name };
  return { runId: id, flowId, projectId, status, ...step, reason: reasonOf(finish) };
}

/** The limits as messages of steps name them. */
const LIMITS = [
  ...['CPU time limit', 'memory limit', 'output size limit', 'storage limit'],
  ...['step limit', 'iteration limit', 'nesting limit'],
];

/** The message of a failed step is its author's, or a server's, and may have data of users. Other reasons are ours. */
function reasonOf({ status, failedStep, statusReason }: Pick<RunFinish, 'status' | 'failedStep' | 'statusReason'>) {
  if (status !== 'FAILED') return statusReason ?? 'No reason is recorded.';
  const limit = LIMITS.find((name) => failedStep?.message.includes(name));
  if (limit !== undefined) return `The step reached the ${limit}.`;
  return failedStep === null ? 'The flow ended the run as failed.' : 'The step failed.';
}
