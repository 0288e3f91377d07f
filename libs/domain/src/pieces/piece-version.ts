const RANGE = /^[~^](\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;
/** Whether a wanted version is a range, as exports of flows have it, and not an exact one. */
export const isVersionRange = (wanted: string): boolean => RANGE.test(wanted);

/** What is after `+` says how a version was built, and means nothing. */
const PARTS = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/;

interface VersionParts {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** What a pre-release has after its numbers. Empty for a release. */
  readonly preRelease: readonly string[];
}

function partsOf(version: string): VersionParts {
  const [, major = 0, minor = 0, patch = 0, preRelease] = PARTS.exec(version) ?? [];
  return { numbers: [Number(major), Number(minor), Number(patch)], preRelease: preRelease?.split('.') ?? [] };
}

/** Compares versions as semantic versioning orders them: negative when the first is the older one. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return compareNumbers(a, b) || comparePreReleases(a.preRelease, b.preRelease);
}

const compareNumbers = ({ numbers: a }: VersionParts, { numbers: b }: VersionParts): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** A pre-release is older than its release, numbers are older than words, and fewer parts are older than more. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const difference = compareParts(part, other);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [one, other].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

const isPreRelease = (version: string): boolean => partsOf(version).preRelease.length > 0;

/** Orders versions as one is chosen where none is named: the last, so that every release comes after all pre-releases. */
export const compareByChoice = (one: string, other: string): number =>
  Number(isPreRelease(other)) - Number(isPreRelease(one)) || compareVersions(one, other);

/**
 * The newest of these versions that a wanted one allows: itself, or with `~` the same minor version from it on, and with
 * `^` the same major version, which of `0.x` is the minor one. A range allows pre-releases only of the version of which
 * it names one. Null when there is none.
 */
export function versionFor(wanted: string, versions: readonly string[]): string | null {
  const [, least] = RANGE.exec(wanted) ?? [];
  if (least === undefined) return versions.includes(wanted) ? wanted : null;
  const from = partsOf(least);
  const [major, minor] = from.numbers;
  const isByMinor = wanted.startsWith('~') || major === 0;
  const allowed = versions.filter((version) => {
    const parts = partsOf(version);
    const isMeant = !isPreRelease(version) || (from.preRelease.length > 0 && compareNumbers(parts, from) === 0);
    const isNear = parts.numbers[0] === major && (!isByMinor || parts.numbers[1] === minor);
    return isMeant && isNear && compareVersions(version, least) >= 0;
  });
  return allowed.toSorted(compareVersions).at(-1) ?? null;
}
