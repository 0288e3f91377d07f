const OF_KEY = 'api_key:';

/** The ids in the names under which changes are recorded. Names that are of no user and no key are left out. */
export function idsInPrincipalNames(names: Iterable<string | null | undefined>): { users: string[]; keys: string[] } {
  const users = new Set<string>();
  const keys = new Set<string>();
  for (const name of names) {
    if (!name) continue;
    if (name.startsWith(OF_KEY)) keys.add(name.slice(OF_KEY.length));
    else users.add(name);
  }
  return { users: [...users], keys: [...keys] };
}

/** Finds what people call those who changed something. */
export abstract class PrincipalNames {
  /**
   * The names to show, by the names under which changes are recorded (`principalName`): the first and last name of a
   * user, and the name of a key. Who was deleted or has no name is absent. One query serves all.
   */
  abstract find(names: Iterable<string | null | undefined>): Promise<ReadonlyMap<string, string>>;
}
