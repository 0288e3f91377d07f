import { answerOf, DELETE, POST } from '../api/client';
import { queryClient } from '../api/queries';
import type { FlowSummary } from './flow-queries';

// What the list of flows changes. Afterwards it is read again.

/** Makes an empty flow, and returns its id. */
export async function createFlow(projectId: string, displayName: string): Promise<string> {
  const { id } = await answerOf(POST('/api/v1/flows', { body: { projectId, displayName } }));
  await readAgain();
  return id;
}

/** Lets a flow run or not. A flow that was never published is published when it is enabled. */
export async function changeStatus({ id }: FlowSummary, status: FlowSummary['status']): Promise<void> {
  const body = { type: 'CHANGE_STATUS' as const, request: { status } };
  await answerOf(POST('/api/v1/flows/{id}', { params: { path: { id } }, body }));
  await readAgain();
}

/** Deletes a flow. Its runs stay. */
export async function deleteFlow({ id }: FlowSummary): Promise<void> {
  await answerOf(DELETE('/api/v1/flows/{id}', { params: { path: { id } } }));
  await readAgain();
}

const readAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['flows'] });
