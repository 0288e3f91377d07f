import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { namedDefinition, type FlowSource } from './flow-files';
import type { FlowSummary } from './flow-queries';

// What the list of flows changes. Afterwards it is read again.

type FlowId = Pick<FlowSummary, 'id'>;
type Operation = Schemas['FlowOperation'];

/** Where a flow is made. */
export interface Place {
  projectId: string;
  folderId: string | null;
}

export interface NewFlow extends Place {
  displayName: string;
  templateId?: string;
}

/** Makes a flow, empty or of a template, and returns its id. */
export async function createFlow(body: NewFlow): Promise<string> {
  const { id } = await answerOf(POST('/api/v1/flows', { body }));
  await readAgain();
  return id;
}

async function operate(id: string, body: Operation): Promise<void> {
  await answerOf(POST('/api/v1/flows/{id}', { params: { path: { id } }, body }));
}

/** Lets a flow run or not. A flow that was never published is published when it is enabled. */
export const changeStatus = ({ id }: FlowId, status: FlowSummary['status']): Promise<void> =>
  operate(id, { type: 'CHANGE_STATUS', request: { status } });

/** Moves a flow into a folder, or out of its folder. */
export const moveFlow = ({ id }: FlowId, folderId: string | null): Promise<void> =>
  operate(id, { type: 'CHANGE_FOLDER', request: { folderId } });

/** Deletes a flow. Its runs stay. */
export async function deleteFlow({ id }: FlowId): Promise<void> {
  await answerOf(DELETE('/api/v1/flows/{id}', { params: { path: { id } } }));
}

/** The latest version of a flow, as others can import it. */
export const exportFlow = ({ id }: FlowId): Promise<Schemas['TemplateExport']> =>
  answerOf(GET('/api/v1/flows/{id}/template', { params: { path: { id } } }));

export const publishFlow = (id: string): Promise<void> => operate(id, { type: 'LOCK_AND_PUBLISH', request: {} });

/** Starts a run of the published flow, and returns its id. */
export async function startRun(id: string, payload: unknown): Promise<string> {
  const run = await answerOf(
    POST('/api/v1/flows/{id}/run', { params: { path: { id } }, body: payload as Record<string, never> }),
  );
  return run.id;
}

/** What came of an import: the flow, and what the service finds wrong with it. */
export interface ImportReport {
  flowId: string;
  name: string;
  problems: Schemas['VersionProblem'][];
}

const UNNAMED = 'Imported flow';
const LONGEST_NAME = 255;

/** Makes a flow of a definition in any dialect that the API knows. A refused one leaves no flow behind. */
export async function importFlow(source: FlowSource, place: Place): Promise<ImportReport> {
  const name = source.name ?? UNNAMED;
  const flowId = await createFlow({ ...place, displayName: name.slice(0, LONGEST_NAME) });
  try {
    const request = namedDefinition(source, UNNAMED) as Schemas['ImportFlowOperation']['request'];
    await operate(flowId, { type: 'IMPORT_FLOW', request });
  } catch (error) {
    await deleteFlow({ id: flowId });
    throw error;
  } finally {
    await readAgain();
  }
  const { problems } = await answerOf(POST('/api/v1/flows/{id}/check', { params: { path: { id: flowId } } }));
  return { flowId, name, problems };
}

export const readAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['flows'] });
