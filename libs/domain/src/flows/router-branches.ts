import { FlowOperationInvalidError } from '../errors/flow-operation-invalid.error';
import type { FlowAction, RouterAction, RouterBranch } from './flow-version';

// A router keeps its branches and their bodies in two lists of the same order; here they are one. Branches count from 0.

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
 * The branch of this index and its body. Throws FlowOperationInvalidError when there is none or it is the fallback,
 * which stays where it is. `done` says what was asked for: `deleted`.
 */
export function conditionBranchOf(router: RouterAction, index: number, done: string): BranchWithBody {
  assertHasBranch(router, index);
  const found = branchesOf(router)[index] as BranchWithBody;
  if (found.branch.branchType === 'FALLBACK')
    throw new FlowOperationInvalidError(`The fallback branch of ${router.name} cannot be ${done}.`);
  return found;
}

/** Where a new branch goes unless told otherwise: last, but before a fallback that is last. */
export const endOfConditions = ({ settings: { branches } }: RouterAction): number =>
  branches.at(-1)?.branchType === 'FALLBACK' ? branches.length - 1 : branches.length;
