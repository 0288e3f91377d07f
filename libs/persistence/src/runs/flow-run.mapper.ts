import {
  createdAt,
  isFinal,
  type AskedPerson,
  type FailureGroup,
  type FlowRun,
  type FlowRunSummary,
  type WaitingOn,
} from '@millrace/domain';
import type { FlowRunEntity, StoredFailure } from './flow-run.entity';
import type { SummaryRow } from './run-summary.statements';

/** A run's row without its payload. */
export type FlowRunRow = Omit<FlowRunEntity, 'payload'>;

export interface FirstWait extends Omit<WaitingOn, 'kind' | 'until' | 'requestId' | 'request'> {
  runId: string;
  requestId: string;
  kind: WaitingOn['kind'];
  until: Date | null;
  /** A run that waits by a rule of its flow has no step that waits. */
  stepPath?: string;
  /** What a person is asked; null for other waits. */
  requestKind?: AskedPerson['kind'] | null;
  stepDisplayName?: string | null;
  message?: string | null;
}

export function toFlowRun(row: FlowRunRow, versionName: string, wait?: FirstWait): FlowRun {
  const created = createdAt(row.id);
  return {
    id: row.id,
    projectId: row.projectId,
    flowId: row.flowId,
    flowVersionId: row.flowVersionId,
    flowVersion: { displayName: versionName },
    status: row.status,
    startTime: row.startTime,
    finishTime: row.finishTime,
    environment: row.environment,
    triggeredBy: row.triggeredBy,
    tags: row.tags,
    ...(row.status === 'FAILED' && row.failedStep ? { failedStep: failedStepOf(row.failedStep) } : {}),
    stepsCount: row.stepsCount,
    archivedAt: row.archivedAt,
    created,
    updated: row.updated,
    parentRunId: row.parentRunId,
    failParentOnFailure: row.failParentOnFailure,
    retryOfRunId: row.retryOfRunId,
    statusReason: row.statusReason,
    ...(isFinal(row.status) ? {} : { waitingOn: wait ? waitingOn(wait) : forWorker(row, created) }),
  };
}

const failedStepOf = ({ name, displayName, message }: StoredFailure) => ({ name, displayName, message });

function waitingOn(wait: FirstWait): WaitingOn {
  const { kind, since, until, requestId, reason } = wait;
  const request = askedPerson(wait);
  return {
    kind,
    since,
    ...(until && { until }),
    ...(kind === 'human' && { requestId }),
    ...(request && { request }),
    ...(reason && { reason }),
  };
}

function askedPerson({ requestKind, stepPath, stepDisplayName, message }: FirstWait): AskedPerson | null {
  if (!requestKind || stepPath === undefined) return null;
  return { kind: requestKind, stepPath, ...(stepDisplayName && { stepDisplayName }), ...(message && { message }) };
}

/**
 * A resumed run that no worker has claimed yet waits since it was resumed; any other run since its start or creation.
 */
const forWorker = ({ startTime, pausedAt, updated }: FlowRunRow, created: Date): WaitingOn => ({
  kind: 'worker',
  since: pausedAt ? updated : (startTime ?? created),
});

export interface FailureRow extends Pick<FailureGroup, 'flowId' | 'stepName' | 'fingerprint' | 'count'> {
  flowDisplayName: string | null;
  /** The failed step of the newest run of the group. */
  failedStep: StoredFailure | null;
  statusReason: string | null;
  firstId: string;
  lastId: string;
}

export const toFailureGroup = (row: FailureRow): FailureGroup => ({
  flowId: row.flowId,
  flowDisplayName: row.flowDisplayName ?? '',
  stepName: row.stepName,
  stepDisplayName: row.failedStep?.displayName ?? '',
  fingerprint: row.fingerprint,
  message: row.failedStep?.message ?? row.statusReason ?? '',
  count: row.count,
  firstSeen: createdAt(row.firstId),
  lastSeen: createdAt(row.lastId),
  lastRunId: row.lastId,
});

export const toSummary = ({ flowId, lastRunId: id, status, finishTime, runs, failed }: SummaryRow): FlowRunSummary => ({
  flowId,
  lastRun: id === null || status === null ? null : { id, status, created: createdAt(id), finishTime },
  runs,
  failed,
});
