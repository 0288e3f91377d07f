import { absoluteUrl, elementsOf, markupOf, textOf, type XmlElement } from './xml-element';

// Makes an item of the element that RSS calls `item` and Atom calls `entry`. The words of all formats are read alike,
// because many feeds mix them.

export interface Enclosure {
  url: string;
  type: string | null;
  length: number | null;
}

/** An item of a feed. What the feed does not say is null. */
export interface FeedItem {
  id: string | null;
  title: string | null;
  link: string | null;
  description: string | null;
  content: string | null;
  author: string | null;
  /** In ISO 8601. */
  published: string | null;
  /** In ISO 8601. */
  updated: string | null;
  categories: string[];
  enclosures: Enclosure[];
  comments: string | null;
}

export function feedItem(element: XmlElement): FeedItem {
  const children = elementsOf(element);
  const first = (...names: string[]): XmlElement | undefined =>
    names.map((name) => children.find((child) => child.name === name)).find((child) => child !== undefined);
  const guid = first('guid', 'id');
  const id = nonEmpty(guid && textOf(guid)) ?? nonEmpty(element.attributes['rdf:about']);
  return {
    id,
    title: nonEmpty(contentOf(first('title', 'dc:title', 'media:title'))),
    link: linkOf(children) ?? permalinkOf(guid),
    description: nonEmpty(contentOf(first('description', 'summary', 'dc:description', 'itunes:summary'))),
    content: nonEmpty(contentOf(first('content:encoded', 'content', 'xhtml:body'))),
    author: authorOf(first('author', 'dc:creator', 'itunes:author')),
    published: dateOf(first('pubdate', 'published', 'issued', 'dc:date', 'dcterms:created', 'created')),
    updated: dateOf(first('updated', 'modified', 'dcterms:modified')),
    categories: children
      .filter(isCategory)
      .map(categoryOf)
      .filter((name) => name !== ''),
    enclosures: children.flatMap(enclosureOf),
    comments: nonEmpty(contentOf(first('comments'))),
  };
}

const nonEmpty = (text: string | undefined): string | null => text?.trim() || null;

/** Text as it is, HTML as its source, XHTML as markup. */
function contentOf(element: XmlElement | undefined): string | undefined {
  if (!element) return undefined;
  const isMarkup = element.attributes['type'] === 'xhtml' || element.name === 'xhtml:body';
  return isMarkup || elementsOf(element).length > 0 ? markupOf(withoutWrapper(element)) : textOf(element);
}

/** Atom puts XHTML into one `div`, which is not part of the content. */
function withoutWrapper(element: XmlElement): XmlElement {
  const inside = elementsOf(element);
  const [only] = inside;
  return element.attributes['type'] === 'xhtml' && inside.length === 1 && only?.name === 'xhtml:div' ? only : element;
}

/** The link of RSS is a text, that of Atom an attribute. Of several links of Atom the one to the item itself counts. */
function linkOf(children: readonly XmlElement[]): string | null {
  const links = children.filter(({ name }) => name === 'link');
  const relOf = ({ attributes }: XmlElement): string => attributes['rel'] ?? 'alternate';
  const isHtml = ({ attributes }: XmlElement): boolean => /html/.test(attributes['type'] ?? 'html');
  const alternates = links.filter((link) => relOf(link) === 'alternate' && hrefOf(link) !== null);
  const chosen = alternates.find(isHtml) ?? alternates[0];
  const href = chosen && hrefOf(chosen);
  return chosen && href ? absoluteUrl(href, chosen.base) : null;
}

const hrefOf = (link: XmlElement): string | null => nonEmpty(link.attributes['href']) ?? nonEmpty(textOf(link));

/** The `guid` of RSS is the link to the item, unless it says that it is none. */
function permalinkOf(guid: XmlElement | undefined): string | null {
  if (guid?.name !== 'guid' || guid.attributes['ispermalink']?.toLowerCase() === 'false') return null;
  const text = textOf(guid).trim();
  return /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).href : null;
}

function authorOf(element: XmlElement | undefined): string | null {
  if (!element) return null;
  const name = elementsOf(element).find((child) => child.name === 'name' || child.name === 'email');
  return nonEmpty(textOf(name ?? element));
}

function dateOf(element: XmlElement | undefined): string | null {
  const time = element ? Date.parse(textOf(element).trim()) : NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

const isCategory = ({ name }: XmlElement): boolean => name === 'category' || name === 'dc:subject';

/** The category of RSS is a text, that of Atom an attribute. */
const categoryOf = (element: XmlElement): string =>
  (element.attributes['label'] ?? element.attributes['term'] ?? textOf(element)).trim();

function enclosureOf(element: XmlElement): Enclosure[] {
  const { name, attributes, base } = element;
  if (name === 'media:group') return elementsOf(element).flatMap(enclosureOf);
  const isEnclosure =
    name === 'enclosure' || name === 'media:content' || (name === 'link' && attributes['rel'] === 'enclosure');
  const url = nonEmpty(attributes['url'] ?? attributes['href']);
  if (!isEnclosure || url === null) return [];
  const length = Number(attributes['length'] ?? attributes['filesize'] ?? NaN);
  return [
    {
      url: absoluteUrl(url, base),
      type: nonEmpty(attributes['type']),
      length: Number.isSafeInteger(length) && length > 0 ? length : null,
    },
  ];
}
