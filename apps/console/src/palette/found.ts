/** How well a name fits what was typed: typed words begin words of the name, are somewhere in it, or are not all there. */
export type Fit = 2 | 1 | 0;

/** Compares in any order of the words, and in small letters or large. */
export function fitOf(name: string, typed: string): Fit {
  const lower = name.toLowerCase();
  const sought = wordsOf(typed);
  if (sought.every((word) => beginsIn(lower, word))) return 2;
  return sought.every((word) => lower.includes(word)) ? 1 : 0;
}

/** What is found, names with words that begin so first. */
export function found<T extends { name: string }>(items: readonly T[], typed: string): T[] {
  const fits = items.map((item) => ({ item, fit: fitOf(item.name, typed) }));
  return fits
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .map(({ item }) => item);
}

/** The longest word: what the service is asked for, which looks for a text as it is. */
export const longestWord = (typed: string): string =>
  typed.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean);

function beginsIn(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]$/u.test(name.slice(0, at))) return true;
  return false;
}
