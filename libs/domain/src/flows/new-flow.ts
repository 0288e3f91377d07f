import { principalName, type Principal } from '../identity/principal';
import type { Flow } from './flow';
import { SCHEMA_VERSION, type EmptyTrigger, type FlowVersion } from './flow-version';

export interface FlowRequest {
  projectId: string;
  displayName: string;
  externalId?: string;
  metadata?: Record<string, unknown> | null;
}

/** A flow as it begins: disabled, with an empty draft. An API key's creator owns what the key makes. */
export function newFlow(
  request: FlowRequest,
  principal: Principal,
  ids: { flowId: string; versionId: string },
  now: Date,
): { flow: Flow; version: FlowVersion } {
  const { flowId, versionId } = ids;
  const flow: Flow = {
    id: flowId,
    projectId: request.projectId,
    externalId: request.externalId ?? flowId,
    ownerId: principal.userId,
    folderId: null,
    status: 'DISABLED',
    publishedVersionId: null,
    metadata: request.metadata ?? null,
    operationStatus: 'NONE',
    timeSavedPerRun: null,
    templateId: null,
    created: now,
    updated: now,
  };
  const version: FlowVersion = {
    id: versionId,
    flowId,
    displayName: request.displayName,
    trigger: emptyTrigger(),
    valid: false,
    schemaVersion: SCHEMA_VERSION,
    state: 'DRAFT',
    notes: [],
    created: now,
    updated: now,
    updatedBy: principalName(principal),
  };
  return { flow, version };
}

const emptyTrigger = (): EmptyTrigger => ({
  name: 'trigger',
  displayName: 'Select Trigger',
  type: 'EMPTY',
  settings: {},
  valid: false,
});
