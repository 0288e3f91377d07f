import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { orNull, shapeOf, text } from '../../json/request-shape';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Moves the flow into a folder of its project, or out of its folder with null. */
export const CHANGE_FOLDER: FlowOperationRule<{ folderId: string | null }> = {
  request: shapeOf({ folderId: orNull(text()) }),
  apply: changeFolder,
};

/** Throws EntityNotFoundError when the project has no such folder. */
async function changeFolder(
  current: PopulatedFlow,
  { folderId }: { folderId: string | null },
  { hasFolder }: OperationContext,
): Promise<FlowChange> {
  if (current.folderId === folderId) return unchanged(current);
  if (folderId !== null && !(await hasFolder(folderId))) throw new EntityNotFoundError('folder', folderId);
  return changeFlow(current, { folderId });
}
