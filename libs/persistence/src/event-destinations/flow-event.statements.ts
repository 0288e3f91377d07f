import { flowEventData, type EventKind, type Flow, type FlowVersion } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { insertEvents } from './new-event.statements';

// The event of a flow that SQL has changed. Other changes of flows have the flow at hand.

const FLOW = `
  id, project_id as "projectId", external_id as "externalId", owner_id as "ownerId", folder_id as "folderId", status,
  published_version_id as "publishedVersionId", metadata, operation_status as "operationStatus",
  time_saved_per_run as "timeSavedPerRun", template_id as "templateId", created, updated, updated_by as "updatedBy",
  revision`;

const VERSION = `
  id, flow_id as "flowId", display_name as "displayName", valid, schema_version as "schemaVersion", state, created,
  updated, updated_by as "updatedBy"`;

const FIND_FLOW = `select ${FLOW} from flow where id = $1`;
const FIND_LATEST = `select ${VERSION} from flow_version where id = (select latest_version_id from flow where id = $1)`;

/** Inserts the event of the flow as it is now in the transaction. */
export async function insertFlowEvent(tx: Queryable, flowId: string, kind: EventKind): Promise<void> {
  const [flow] = (await tx.query<Flow>(FIND_FLOW, [flowId])).rows;
  const [version] = (await tx.query<FlowVersion>(FIND_LATEST, [flowId])).rows;
  if (flow && version) await insertEvents(tx, flow.projectId, [kind], flowEventData(flow, version));
}
