const MOST_TAGS = 100;
const LONGEST_TAG = 100;

/**
 * All tags, each once, in the order of arrival. Tags over MOST_TAGS are dropped, longer ones are cut to LONGEST_TAG.
 */
export function addTags(tags: readonly string[], more: readonly string[]): readonly string[] {
  const cut = more.map((tag) => (tag.length > LONGEST_TAG ? Array.from(tag).slice(0, LONGEST_TAG).join('') : tag));
  return [...new Set([...tags, ...cut])].slice(0, MOST_TAGS);
}
