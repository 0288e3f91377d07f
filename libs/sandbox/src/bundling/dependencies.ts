import type { BundleProblem } from './code-bundle';

const MOST_DEPENDENCIES = 50;
const MOST_RANGE_CHARS = 200;
const MOST_NAME_CHARS = 214;
const PACKAGE_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

const NUMBER = String.raw`(?:\d{1,16}|[xX*])`;
const VERSION = String.raw`v?${NUMBER}(?:\.${NUMBER}){0,2}(?:-[\w.-]+)?(?:\+[\w.-]+)?`;
const COMPARATOR = String.raw`(?:[<>]=?|[~^=])? ?${VERSION}`;
/** Matches a semantic version or a range, as node-semver reads them. It does not match a path, an address or a tag. */
const RANGE = new RegExp(`^(?:${VERSION} - ${VERSION}|${COMPARATOR}(?: ${COMPARATOR})*)$`);
const IDENTIFIERS = String.raw`[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*`;
const EXACT_VERSION = new RegExp(String.raw`^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-${IDENTIFIERS})?(?:\+${IDENTIFIERS})?$`);
/** A tag is a word, such as `latest`, for which the registry names the version. */
const TAG = /^[a-z][\w-]*$/i;
const ALIAS = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/;

/** Version ranges by package name. This is a map because a package may have any name, even `problem`. */
export type Dependencies = ReadonlyMap<string, string>;

/** The dependencies that the package.json of a step names, or what is wrong with it. */
export function readDependencies(packageJson: string): Dependencies | BundleProblem {
  if (packageJson.trim() === '') return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(packageJson);
  } catch {
    return { problem: 'The package.json of the step is not valid JSON.' };
  }
  const dependencies = isRecord(parsed) ? (parsed.dependencies ?? {}) : undefined;
  if (!isRecord(dependencies)) return { problem: 'The package.json of the step needs an object of dependencies.' };
  const entries = Object.entries(dependencies);
  if (entries.length > MOST_DEPENDENCIES) return { problem: `A step has at most ${MOST_DEPENDENCIES} dependencies.` };
  const refused = entries.find(([name, version]) => !isPackageName(name) || !isVersionRange(version));
  if (refused)
    return {
      problem: `The dependency "${refused[0]}" is not a package and version of the registry; write a version like "1.2.3" or "^1.2.3".`,
    };
  return new Map(entries as [string, string][]);
}

/** Whether the bundle of a step contains packages. Such a bundle depends on what the registry has on that day. */
export function hasDependencies(packageJson: string): boolean {
  const dependencies = readDependencies(packageJson);
  return dependencies instanceof Map && dependencies.size > 0;
}

export function isPackageName(name: string): boolean {
  return name.length <= MOST_NAME_CHARS && PACKAGE_NAME.test(name);
}

export function isVersionRange(version: unknown): version is string {
  if (typeof version !== 'string' || version.length > MOST_RANGE_CHARS) return false;
  return version.split('||').every((part) => isOneRange(part.trim().replaceAll(/\s+/g, ' ')));
}

/** Whether this names one version, such as `1.2.3` or `1.2.3-beta.1`, and no range. */
export function isExactVersion(version: string): boolean {
  return version.length <= MOST_RANGE_CHARS && EXACT_VERSION.test(version);
}

/** Whether a package may depend on this: a version range, a tag, or an alias (`npm:…`) of a package of the registry. */
export function isFromRegistry(wanted: unknown): wanted is string {
  if (typeof wanted !== 'string') return false;
  if (isVersionRange(wanted) || TAG.test(wanted)) return true;
  const [, name, version = '*'] = ALIAS.exec(wanted) ?? [];
  return name !== undefined && isPackageName(name) && (isVersionRange(version) || TAG.test(version));
}

/** An empty range means any version. */
const isOneRange = (range: string): boolean => range === '' || RANGE.test(range);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
