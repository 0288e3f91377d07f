import type { Definition } from './definition';
import type { Operation } from './operation';
import { branchesOf } from './edit-flow';
import { findStep } from './step-tree';
import { words } from './words';

/** What an operation does, in words for people who see the flow. */
export function operationWords({ trigger }: Pick<Definition, 'trigger'>, { type, request }: Operation): string {
  const nameOf = (name: string) => findStep(trigger, name)?.displayName ?? name;
  const branchOf = (stepName: string, index: number) => {
    const router = findStep(trigger, stepName);
    const branch = router && branchesOf(router)[index];
    return branch?.branchName || words.newBranch(index + 1);
  };
  const { operations } = words;
  switch (type) {
    case 'IMPORT_FLOW':
      return operations.replace;
    case 'CHANGE_NAME':
      return operations.changeName(request.displayName);
    case 'UPDATE_TRIGGER':
    case 'UPDATE_ACTION':
      return operations.update(request.displayName);
    case 'ADD_ACTION':
      return operations.add(request.action.displayName);
    case 'DELETE_ACTION':
      return operations.delete(request.names.map(nameOf));
    case 'MOVE_ACTION':
      return operations.move(nameOf(request.name));
    case 'DUPLICATE_ACTION':
      return operations.duplicate(nameOf(request.stepName));
    case 'SET_SKIP_ACTION':
      return (request.skip ? operations.skip : operations.doNotSkip)(request.names.map(nameOf));
    case 'ADD_BRANCH':
      return operations.addBranch(request.branchName);
    case 'DELETE_BRANCH':
      return operations.deleteBranch(branchOf(request.stepName, request.branchIndex));
    case 'MOVE_BRANCH':
      return operations.moveBranch(branchOf(request.stepName, request.sourceBranchIndex));
    case 'ADD_NOTE':
      return operations.addNote;
    case 'UPDATE_NOTE':
      return operations.updateNote;
    case 'DELETE_NOTE':
      return operations.deleteNote;
  }
}
