import { ActionFailure } from '../../framework/piece';
import { feedItem, type FeedItem } from './feed-item';
import { readElements } from './read-elements';
import { elementsOf, textOf, type XmlElement } from './xml-element';

// Reads RSS 0.9x, 1.0 (RDF) and 2.0, and Atom 0.3 and 1.0.

export interface Feed {
  title: string | null;
  items: FeedItem[];
}

export interface FeedReading {
  /** Where the feed is: relative links are relative to it. */
  url: string;
  mostItems: number;
  signal: AbortSignal;
}

const ROOTS = new Set(['rss', 'rdf:rdf', 'feed', 'channel']);

/** The feed with its items in the order of the text. Rejects with ActionFailure when the text is no feed. */
export async function readFeed(text: string, { url, mostItems, signal }: FeedReading): Promise<Feed> {
  const items: FeedItem[] = [];
  const take = (element: XmlElement, depth: number): boolean => {
    const isItem = (element.name === 'item' || element.name === 'entry') && depth <= 2;
    if (isItem && items.push(feedItem(element)) > mostItems)
      throw new ActionFailure(`The feed has more than ${mostItems} items.`);
    return isItem;
  };
  const root = await readElements(text, url, { take }, signal);
  if (!ROOTS.has(root.name)) throw new ActionFailure('The answer is no RSS or Atom feed.');
  return { title: titleOf(root), items };
}

/** RSS has the title in its `channel`, Atom in its root. */
function titleOf(root: XmlElement): string | null {
  const channel = elementsOf(root).find(({ name }) => name === 'channel') ?? root;
  const title = elementsOf(channel).find(({ name }) => name === 'title');
  return (title && textOf(title).trim()) || null;
}

/**
 * The items, oldest first. Feeds list the newest first, so without the dates of all items their order is reversed; with
 * them the dates count, for feeds that are ordered otherwise.
 */
export function oldestFirst(items: readonly FeedItem[]): FeedItem[] {
  const reversed = [...items].reverse();
  const timeOf = ({ published, updated }: FeedItem): string | null => published ?? updated;
  if (reversed.some((item) => timeOf(item) === null)) return reversed;
  return reversed.sort((a, b) => compare(timeOf(a) ?? '', timeOf(b) ?? ''));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
