import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Moves the flow into a folder of its project, or out of its folder with null. */
export const CHANGE_FOLDER: FlowOperationRule<string | null> = { parse, apply: changeFolder };

function parse(reader: JsonReader): string | null {
  reader.needs('folderId');
  return reader.any('folderId') === null ? null : reader.text('folderId', '');
}

/** Throws EntityNotFoundError when the project has no such folder. */
async function changeFolder(
  current: PopulatedFlow,
  folderId: string | null,
  { hasFolder }: OperationContext,
): Promise<FlowChange> {
  if (current.folderId === folderId) return unchanged(current);
  if (folderId !== null && !(await hasFolder(folderId))) throw new EntityNotFoundError('folder', folderId);
  return changeFlow(current, { folderId });
}
