import { createdAt, isFinal, type FlowRun } from '@millrace/domain';
import type { FlowRunEntity } from './flow-run.entity';

export function toFlowRun(row: FlowRunEntity, versionName: string): FlowRun {
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
    ...(row.status === 'FAILED' && row.failedStep ? { failedStep: row.failedStep } : {}),
    stepsCount: row.stepsCount,
    archivedAt: row.archivedAt,
    created,
    updated: row.updated,
    parentRunId: row.parentRunId,
    failParentOnFailure: row.failParentOnFailure,
    retryOfRunId: row.retryOfRunId,
    statusReason: row.statusReason,
    ...(isFinal(row.status) ? {} : { waitingOn: { kind: 'worker', since: row.startTime ?? created } }),
  };
}
