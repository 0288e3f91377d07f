import type { RouterBranch } from './flow-version';

/**
 * For each branch of a router, the index of the same branch in a later version of the router; null when it is gone.
 * Branches have only their names as identity, so branches with the same unique name match, and the rest match in their
 * order.
 */
export function matchBranches(before: readonly RouterBranch[], after: readonly RouterBranch[]): (number | null)[] {
  const namesBefore = uniqueNames(before);
  const namesAfter = uniqueNames(after);
  const rest = after.flatMap(({ branchName }, index) =>
    namesAfter.get(branchName) === index && namesBefore.has(branchName) ? [] : [index],
  );
  return before.map(({ branchName }, index) => {
    const named = namesBefore.get(branchName) === index ? namesAfter.get(branchName) : undefined;
    return named ?? rest.shift() ?? null;
  });
}

/** The index of each name that only one branch has. */
function uniqueNames(branches: readonly RouterBranch[]): Map<string, number> {
  const unique = new Map<string, number>();
  const seen = new Set<string>();
  branches.forEach(({ branchName }, index) => {
    if (seen.has(branchName)) unique.delete(branchName);
    else unique.set(branchName, index);
    seen.add(branchName);
  });
  return unique;
}
