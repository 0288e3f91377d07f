import { answerOf, POST, type Schemas } from '../api/client';
import type { Definition } from './definition';
import type { Flow } from './flow-requests';
import { words } from './panel-words';

/** Makes another flow of what was made here of one. */
export async function copyOfFlow(
  { projectId, version: { schemaVersion } }: Flow,
  { displayName, trigger, notes }: Definition,
): Promise<Flow> {
  const name = words.copyOf(displayName);
  const { id } = await answerOf(POST('/api/v1/flows', { body: { projectId, displayName: name } }));
  const definition = { displayName: name, trigger, notes, schemaVersion };
  const body = { type: 'IMPORT_FLOW', request: definition } as unknown as Schemas['FlowOperation'];
  return answerOf(POST('/api/v1/flows/{id}', { params: { path: { id } }, body }));
}
