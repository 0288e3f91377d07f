import { FlowOperationInvalidError } from '../errors/flow-operation-invalid.error';
import type { FlowAction, RouterAction, RouterBranch } from './flow-version';

// A router stores its branches and their bodies in two lists of the same order. The functions here join these lists.
// Branches count from 0.

export interface BranchWithBody {
  branch: RouterBranch;
  body: FlowAction | null;
}

export const branchesOf = ({ settings, children }: RouterAction): BranchWithBody[] =>
  settings.branches.map((branch, index) => ({ branch, body: children[index] ?? null }));

export const withBranches = (router: RouterAction, branches: readonly BranchWithBody[]): RouterAction => ({
  ...router,
  settings: { ...router.settings, branches: branches.map(({ branch }) => branch) },
  children: branches.map(({ body }) => body),
});

/** Throws FlowOperationInvalidError when the router has no branch of this index. */
export function assertHasBranch({ name, settings: { branches } }: RouterAction, index: number): void {
  if (index >= branches.length)
    throw new FlowOperationInvalidError(
      `The router ${name} has no branch ${index}: it has ${branches.length}, counted from 0.`,
    );
}

/**
 * The branch with this index and its body. Throws FlowOperationInvalidError when there is no such branch, or when it is
 * the fallback, which cannot be changed. `done` is the refused action in the message, such as `deleted`.
 */
export function conditionBranchOf(router: RouterAction, index: number, done: string): BranchWithBody {
  assertHasBranch(router, index);
  const found = branchesOf(router)[index] as BranchWithBody;
  if (found.branch.branchType === 'FALLBACK')
    throw new FlowOperationInvalidError(`The fallback branch of ${router.name} cannot be ${done}.`);
  return found;
}

/** The default index of a new branch: it becomes the last one, but stands before a fallback that is last. */
export const endOfConditions = ({ settings: { branches } }: RouterAction): number =>
  branches.at(-1)?.branchType === 'FALLBACK' ? branches.length - 1 : branches.length;
