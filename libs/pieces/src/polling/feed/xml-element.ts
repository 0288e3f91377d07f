// An XML element in memory, with the words for the vocabularies that feeds use.

export interface XmlElement {
  /** The local name in lower case, after a prefix for its vocabulary: `title`, `content:encoded`, `atom:link`. */
  name: string;
  /** The name as it is written. */
  tag: string;
  /** The attributes by name, in lower case. */
  attributes: Readonly<Record<string, string>>;
  /** Texts and elements in their order. */
  children: (XmlElement | string)[];
  /** What relative links inside of the element are relative to. */
  base: string;
}

/** The prefixes of vocabularies. Those of RSS and Atom have none: their elements are told apart by what holds them. */
const PREFIXES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2005/atom': '',
  'http://purl.org/atom/ns#': '',
  'http://purl.org/rss/1.0/': '',
  'http://my.netscape.com/rdf/simple/0.9/': '',
  'http://channel.netscape.com/rdf/simple/0.9/': '',
  'http://backend.userland.com/rss2': '',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf:',
  'http://purl.org/rss/1.0/modules/content/': 'content:',
  'http://purl.org/dc/elements/1.1/': 'dc:',
  'http://purl.org/dc/terms/': 'dcterms:',
  'http://search.yahoo.com/mrss/': 'media:',
  'http://www.itunes.com/dtds/podcast-1.0.dtd': 'itunes:',
  'http://www.w3.org/1999/xhtml': 'xhtml:',
};

/** The namespaces that are declared on an element and around it. */
export class Namespaces {
  private readonly declared = new Map<string, string>();

  constructor(
    private readonly around: Namespaces | null,
    attributes: Readonly<Record<string, string>>,
  ) {
    for (const [name, value] of Object.entries(attributes))
      if (name === 'xmlns') this.declared.set('', value);
      else if (name.startsWith('xmlns:')) this.declared.set(name.slice('xmlns:'.length).toLowerCase(), value);
  }

  /** The namespaces inside an element. Most elements declare none, so they share those around them. */
  inside(attributes: Readonly<Record<string, string>>): Namespaces {
    return Object.keys(attributes).some((name) => name.startsWith('xmlns')) ? new Namespaces(this, attributes) : this;
  }

  /** The name of an element that is written so. A prefix that is not declared stands for itself, as feeds expect. */
  nameOf(tag: string): string {
    const colon = tag.indexOf(':');
    const prefix = tag.slice(0, Math.max(0, colon)).toLowerCase();
    const local = tag.slice(colon + 1).toLowerCase();
    const uri = this.uriOf(prefix);
    if (uri === undefined || uri === '') return prefix === '' || prefix === 'atom' ? local : `${prefix}:${local}`;
    const known = uri.trim().toLowerCase();
    return Object.hasOwn(PREFIXES, known) ? `${PREFIXES[known]}${local}` : prefix === '' ? local : `${prefix}:${local}`;
  }

  /** The depth of the document bounds the calls. */
  private uriOf(prefix: string): string | undefined {
    return this.declared.get(prefix) ?? this.around?.uriOf(prefix);
  }
}

/** All text inside an element, without its tags. */
export function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child): child is XmlElement => typeof child !== 'string');

/** The markup inside an element, with its text escaped. */
export const markupOf = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === 'string' ? escaped(child) : elementMarkup(child))).join('');

function elementMarkup(element: XmlElement): string {
  const name = element.tag.slice(element.tag.indexOf(':') + 1);
  const attributes = Object.entries(element.attributes)
    .filter(([attribute]) => !attribute.startsWith('xmlns'))
    .map(([attribute, value]) => ` ${attribute}="${escaped(value).replaceAll('"', '&quot;')}"`);
  const inside = markupOf(element);
  return inside === '' && EMPTY_ELEMENTS.has(name.toLowerCase())
    ? `<${name}${attributes.join('')}>`
    : `<${name}${attributes.join('')}>${inside}</${name}>`;
}

/** The elements of HTML that have no end tag. */
const EMPTY_ELEMENTS = new Set(['area', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'source', 'track', 'wbr']);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The absolute URL of a link. A text that is no URL is left as it is. */
export function absoluteUrl(link: string, base: string): string {
  const trimmed = link.trim();
  return URL.canParse(trimmed, base) ? new URL(trimmed, base).href : trimmed;
}
