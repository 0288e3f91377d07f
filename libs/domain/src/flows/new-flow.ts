import { principalName, type Principal } from '../identity/principal';
import type { Flow } from './flow';
import type { FlowDefinition } from './flow-template';
import { SCHEMA_VERSION, type EmptyTrigger, type FlowVersion } from './flow-version';

export interface FlowRequest {
  projectId: string;
  displayName: string;
  externalId?: string;
  folderId?: string | null;
  templateId?: string | null;
  metadata?: Record<string, unknown> | null;
  /** The first content of the draft. Without a definition the draft is empty. */
  definition?: Pick<FlowDefinition, 'trigger' | 'notes'> | null;
}

/**
 * A new flow is disabled and has a draft that has not been checked yet. A flow that an API key makes belongs to the
 * creator of the key.
 */
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
    folderId: request.folderId ?? null,
    status: 'DISABLED',
    publishedVersionId: null,
    metadata: request.metadata ?? null,
    operationStatus: 'NONE',
    timeSavedPerRun: null,
    templateId: request.templateId ?? null,
    created: now,
    updated: now,
    updatedBy: principalName(principal),
    revision: 1,
  };
  const version: FlowVersion = {
    id: versionId,
    flowId,
    displayName: request.displayName,
    trigger: request.definition?.trigger ?? emptyTrigger(),
    valid: false,
    schemaVersion: SCHEMA_VERSION,
    state: 'DRAFT',
    notes: request.definition?.notes ?? [],
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
