/** Whether a name contains all words that were typed, in any order and in small letters or large. */
export function isFound(name: string, typed: string): boolean {
  const lower = name.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
