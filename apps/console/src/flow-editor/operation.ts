import type { Schemas } from '../api/client';
import type { Place, Step } from '../flow-picture/step';

/** An edit of a flow, as `POST /flows/:id` takes it (docs/flow-json.md). These are the ones that the editor makes. */
export type Operation =
  | { type: 'IMPORT_FLOW'; request: ImportRequest }
  | { type: 'CHANGE_NAME'; request: { displayName: string } }
  | { type: 'UPDATE_TRIGGER'; request: Step }
  | { type: 'UPDATE_ACTION'; request: Step }
  | { type: 'ADD_ACTION'; request: Place & { action: Step } }
  | { type: 'DELETE_ACTION'; request: { names: string[] } }
  | { type: 'MOVE_ACTION'; request: MoveRequest }
  | { type: 'DUPLICATE_ACTION'; request: { stepName: string } }
  | { type: 'SET_SKIP_ACTION'; request: { names: string[]; skip: boolean } }
  | {
      type: 'ADD_BRANCH';
      request: { stepName: string; branchIndex: number; branchName: string; conditions: unknown[][] };
    }
  | { type: 'DELETE_BRANCH'; request: { stepName: string; branchIndex: number } }
  | { type: 'MOVE_BRANCH'; request: { stepName: string; sourceBranchIndex: number; targetBranchIndex: number } }
  | { type: 'ADD_NOTE'; request: NoteRequest & { index?: number } }
  | { type: 'UPDATE_NOTE'; request: Partial<NoteRequest> & { id: string } }
  | { type: 'DELETE_NOTE'; request: { id: string } };

/** A whole definition. Sample data of steps whose names stay is kept. */
export interface ImportRequest {
  displayName: string;
  trigger: Step;
  notes: readonly NoteRequest[];
  schemaVersion: string;
  keepSampleData: true;
}

export interface MoveRequest {
  name: string;
  newParentStep: string;
  stepLocationRelativeToNewParent: Place['stepLocationRelativeToParent'];
  branchIndex?: number;
}

/** What the editor sets of a note. */
export interface NoteRequest {
  id: string;
  content: string;
  color?: string;
  position?: { x: number; y: number };
  size?: { width: number; height: number };
}

/** The same operation for the client of the API, whose types say more of settings than the editor knows. */
export const requestBody = (operation: Operation): Schemas['FlowOperation'] => operation as Schemas['FlowOperation'];

/** The step that an operation gives other settings; null for other operations. */
export const updatedStep = (operation: Operation): Step | null =>
  operation.type === 'UPDATE_ACTION' || operation.type === 'UPDATE_TRIGGER' ? operation.request : null;
