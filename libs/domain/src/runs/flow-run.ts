import type { HumanRequest } from '../journal/step-wait';
import type { FlowRunStatus, RunEnvironment } from '../run-status';
import { withoutRequestLinks } from './request-links';

export interface FailedStep {
  name: string;
  displayName: string;
  message: string;
}

/** What a person is asked, as far as lists say it. */
export interface AskedPerson {
  kind: HumanRequest['kind'];
  /** The path of the step that waits. */
  stepPath: string;
  /** Absent when a release before this one recorded the wait. */
  stepDisplayName?: string;
  /** Present only when the author of the flow has written one. */
  message?: string;
}

/** What a run waits for that has not ended. */
export interface WaitingOn {
  kind: 'worker' | 'timer' | 'human' | 'child';
  since: Date;
  until?: Date;
  /** Present only when a person is asked. Whoever knows it can answer. */
  requestId?: string;
  /** Present only when a person is asked. */
  request?: AskedPerson;
  /** One sentence for a person: why the run may not begin yet. Present only when a rule of its flow makes it wait. */
  reason?: string;
}

/** One execution of one flow version, without its step data. Times are UTC. */
export interface FlowRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  flowVersion: { displayName: string };
  status: FlowRunStatus;
  /** Null until a worker begins. */
  startTime: Date | null;
  /** Null until the run has ended. */
  finishTime: Date | null;
  environment: RunEnvironment;
  /** A user's id, `webhook`, `schedule`, `polling`, `subflow`, or `api_key:<id>`. */
  triggeredBy: string;
  tags: string[];
  /** Present only when the status is FAILED. */
  failedStep?: FailedStep;
  stepsCount: number;
  archivedAt: Date | null;
  created: Date;
  updated: Date;
  parentRunId: string | null;
  failParentOnFailure: boolean;
  retryOfRunId: string | null;
  /** One sentence for a person that explains the status; null when the status needs no explanation. */
  statusReason: string | null;
  /** Present while the run has not ended. */
  waitingOn?: WaitingOn;
}

/** Returns the run without the id by which anybody can answer the request that it waits for, also in its message. */
export function withoutRequestId<Run extends FlowRun>(run: Run): Run {
  if (run.waitingOn?.requestId === undefined) return run;
  const { requestId: _requestId, request, ...waitingOn } = run.waitingOn;
  return { ...run, waitingOn: request ? { ...waitingOn, request: withoutLinks(request) } : waitingOn };
}

const withoutLinks = ({ message, ...request }: AskedPerson): AskedPerson =>
  message === undefined ? request : { ...request, message: withoutRequestLinks(message) };
