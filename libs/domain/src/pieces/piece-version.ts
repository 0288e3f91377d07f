const RANGE = /^[~^](\d+\.\d+\.\d+)$/;
/** Whether a wanted version is a range, as exports of flows have it, and not an exact one. */
export const isVersionRange = (wanted: string): boolean => RANGE.test(wanted);

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)/;

const numbersOf = (version: string): [major: number, minor: number, patch: number] => {
  const [, major = 0, minor = 0, patch = 0] = NUMBERS.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
};

/** Compares versions by their numbers: negative when the first is the older one. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * The newest of these versions that a wanted one allows: itself, or with `~` the same minor version from it on, and with
 * `^` the same major version, which of `0.x` is the minor one. Null when there is none.
 */
export function versionFor(wanted: string, versions: readonly string[]): string | null {
  const [, least] = RANGE.exec(wanted) ?? [];
  if (least === undefined) return versions.includes(wanted) ? wanted : null;
  const [major, minor] = numbersOf(least);
  const isByMinor = wanted.startsWith('~') || major === 0;
  const allowed = versions.filter((version) => {
    const numbers = numbersOf(version);
    return numbers[0] === major && (!isByMinor || numbers[1] === minor) && compareVersions(version, least) >= 0;
  });
  return allowed.toSorted(compareVersions).at(-1) ?? null;
}
