import type { FlowRun } from '../runs/flow-run';
import { anId } from './an-id';

/** A run that a webhook started and that succeeded, as the interface shows it. */
export function aFlowRun(more: Partial<FlowRun> = {}): FlowRun {
  const at = new Date('2026-01-01T00:00:00.000Z');
  return {
    id: anId(),
    projectId: '0199f000-0000-7000-8000-000000000004',
    flowId: '0199f000-0000-7000-8000-000000000001',
    flowVersionId: '0199f000-0000-7000-8000-000000000002',
    flowVersion: { displayName: 'A flow' },
    status: 'SUCCEEDED',
    startTime: at,
    finishTime: new Date('2026-01-01T00:00:01.000Z'),
    environment: 'PRODUCTION',
    triggeredBy: 'webhook',
    tags: [],
    stepsCount: 1,
    archivedAt: null,
    created: at,
    updated: at,
    parentRunId: null,
    failParentOnFailure: false,
    retryOfRunId: null,
    statusReason: null,
    ...more,
  };
}
