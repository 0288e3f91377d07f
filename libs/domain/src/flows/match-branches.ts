import type { RouterBranch } from './flow-version';

/**
 * For each branch of a router, which branch of its later self it has become; null when it is gone. Branches have no
 * identity but their names, so those of one unique name belong together, and the rest in the order in which they stand.
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
