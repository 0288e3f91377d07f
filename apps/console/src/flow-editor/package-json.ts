/** A package that the code of a step imports. */
export interface Dependency {
  name: string;
  version: string;
}

/** The packages that a text of JSON names; null when it is no `package.json` whose dependencies are names and versions. */
export function dependenciesOf(packageJson: string): Dependency[] | null {
  const members = membersOf(packageJson);
  if (!members) return null;
  const dependencies = members['dependencies'] ?? {};
  if (!isObject(dependencies)) return null;
  const entries = Object.entries(dependencies);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? entries.map(([name, version]) => ({ name, version }))
    : null;
}

/** The text with other packages. What else it says stays. Packages without a name are left out. */
export function withDependencies(packageJson: string, dependencies: readonly Dependency[]): string {
  const named = dependencies.filter(({ name }) => name.trim() !== '');
  const entries = named.map(({ name, version }) => [name.trim(), version.trim()]);
  return JSON.stringify({ ...membersOf(packageJson), dependencies: Object.fromEntries(entries) as object });
}

function membersOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
