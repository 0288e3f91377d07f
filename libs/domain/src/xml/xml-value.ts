import { InvalidRequestError } from '../errors/invalid-request.error';

// Reads an XML document as a value, in one pass over its text.
//
// X1. No entity is ever declared or fetched: a document type that declares anything is refused, and one that only names
//     itself is skipped. The five entities of XML and character references are replaced; any other reference stays in
//     the text as it was written.
// X2. The depth and the numbers of elements, attributes and references have bounds, because a worker reads XML on its
//     event loop, and each of them costs far more than its few bytes.
// X3. No text is read twice, so a document takes time in proportion to its length, whatever it holds.

/** A value has at most two levels for an element: a list and an object. So it nests as deep as JSON may. */
export const MAX_XML_DEPTH = 64;
/** The most elements and attributes together. */
export const MOST_XML_NODES = 100_000;
/** The most references, such as `&lt;`, of which XML with HTML in it has many. */
export const MOST_XML_REFERENCES = 1_000_000;

/** An element is its text when it has neither attributes nor elements in it. */
export type XmlValue = string | { [member: string]: XmlValue | XmlValue[] };

const ATTRIBUTE_PREFIX = '@_';
const TEXT_MEMBER = '#text';

/**
 * Returns an object whose only member is the root element. A child element is a member, and several children of one
 * name are a list; an attribute is a member whose name begins with `@_`; text beside them is the member `#text`. Texts
 * lose the white space around them. Throws InvalidRequestError.
 */
export const xmlValue = (text: string): XmlValue => new XmlReader(text).document();

const NAME = String.raw`[:A-Z_a-z\u{C0}-\u{D7FF}\u{F900}-\u{FFFD}\u{10000}-\u{EFFFF}][-.:\w\u{B7}\u{C0}-\u{D7FF}\u{F900}-\u{FFFD}\u{10000}-\u{EFFFF}]*`;
const QUOTED = `"[^"]*"|'[^']*'`;
const TAG_START = new RegExp(`<(${NAME})`, 'uy');
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`, 'uy');
const TAG_END = /\s*(\/?)>/y;
const CLOSING_TAG = new RegExp(`</(${NAME})\\s*>`, 'uy');
const DOCUMENT_TYPE = new RegExp(
  `<!DOCTYPE\\s+${NAME}(?:\\s+(?:SYSTEM|PUBLIC\\s+(?:${QUOTED}))\\s+(?:${QUOTED}))?\\s*>`,
  'uy',
);
const SPACE_ONLY = /^\s*$/;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const CHARACTER = /^#(?:(\d{1,7})|x([\da-fA-F]{1,6}))$/;
const LONGEST_REFERENCE = 8;
const SEMICOLON = 0x3b;

/** An element whose end has not been read yet. */
interface OpenElement {
  name: string;
  members: Map<string, XmlValue | XmlValue[]>;
  texts: string[];
}

class XmlReader {
  private at = 0;
  private nodes = 0;
  private references = 0;
  private readonly open: OpenElement[] = [];
  private root: [name: string, value: XmlValue] | null = null;

  constructor(private readonly text: string) {}

  document(): XmlValue {
    for (;;) {
      const next = this.text.indexOf('<', this.at);
      this.takeText(next < 0 ? this.text.length : next);
      if (next < 0) break;
      this.takeMarkup();
    }
    if (!this.root || this.open.length > 0) throw this.malformed('an element has no end');
    return Object.fromEntries([this.root]);
  }

  private takeText(end: number): void {
    const text = this.text.slice(this.at, end);
    const element = this.open.at(-1);
    if (element) {
      if (text !== '') element.texts.push(this.decoded(text));
    } else if (!SPACE_ONLY.test(text)) throw this.malformed('there is text outside of the root element');
    this.at = end;
  }

  private takeMarkup(): void {
    const { text, at } = this;
    if (text.startsWith('</', at)) this.takeClosingTag();
    else if (text.startsWith('<!--', at)) this.skipPast('-->', 4);
    else if (text.startsWith('<?', at)) this.skipPast('?>', 2);
    else if (text.startsWith('<![CDATA[', at)) this.takeCharacterData();
    else if (text.startsWith('<!', at)) this.skipDocumentType();
    else this.takeTag();
  }

  /** Returns what is between the opening, which is `opening` characters long, and the end. */
  private skipPast(end: string, opening: number): string {
    const start = this.at + opening;
    const found = this.text.indexOf(end, start);
    if (found < 0) throw this.malformed(`${end} is missing`);
    this.at = found + end.length;
    return this.text.slice(start, found);
  }

  private takeCharacterData(): void {
    const element = this.open.at(-1);
    if (!element) throw this.malformed('there is text outside of the root element');
    element.texts.push(this.skipPast(']]>', '<![CDATA['.length));
  }

  private skipDocumentType(): void {
    if (this.root || this.open.length > 0 || !this.match(DOCUMENT_TYPE))
      throw new InvalidRequestError([{ path: '', message: 'is XML with declarations, which are not accepted.' }]);
  }

  private takeTag(): void {
    const name = this.match(TAG_START)?.[1];
    if (name === undefined || (this.root && this.open.length === 0)) throw this.malformed('no tag can be here');
    this.count();
    const element: OpenElement = { name, members: new Map(), texts: [] };
    this.takeAttributes(element);
    const end = this.match(TAG_END);
    if (!end) throw this.malformed('a tag has no end');
    if (end[1] === '/') return this.keep(element);
    if (this.open.push(element) > MAX_XML_DEPTH)
      throw new InvalidRequestError([{ path: '', message: `nests deeper than ${MAX_XML_DEPTH} levels.` }]);
  }

  private takeAttributes({ members }: OpenElement): void {
    for (let found = this.match(ATTRIBUTE); found; found = this.match(ATTRIBUTE)) {
      const member = `${ATTRIBUTE_PREFIX}${found[1]}`;
      if (members.has(member)) throw this.malformed('an attribute occurs twice');
      this.count();
      members.set(member, this.decoded((found[2] as string).slice(1, -1)));
    }
  }

  private takeClosingTag(): void {
    const found = this.match(CLOSING_TAG);
    const element = this.open.pop();
    if (!found || !element || found[1] !== element.name) throw this.malformed('a closing tag does not fit');
    this.keep(element);
  }

  /** Puts an element that has ended into the element around it. */
  private keep(element: OpenElement): void {
    const value = valueOf(element);
    const members = this.open.at(-1)?.members;
    if (!members) {
      this.root = [element.name, value];
      return;
    }
    const known = members.get(element.name);
    if (known === undefined) members.set(element.name, value);
    else if (Array.isArray(known)) known.push(value);
    else members.set(element.name, [known, value]);
  }

  private count(): void {
    if (++this.nodes > MOST_XML_NODES) throw tooMany(MOST_XML_NODES, 'elements and attributes');
  }

  /** The text with the characters for which its references stand. */
  private decoded(text: string): string {
    let at = text.indexOf('&');
    if (at < 0) return text;
    const pieces: string[] = [];
    let start = 0;
    for (; at >= 0; at = text.indexOf('&', at + 1)) {
      if (++this.references > MOST_XML_REFERENCES) throw tooMany(MOST_XML_REFERENCES, 'references');
      const end = endOfReference(text, at);
      const character = end < 0 ? null : characterOf(text.slice(at + 1, end));
      if (character === null) continue;
      pieces.push(text.slice(start, at), character);
      start = end + 1;
    }
    return pieces.join('') + text.slice(start);
  }

  /** Moves past what the sticky pattern finds here. Null, without a move, when it finds nothing. */
  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** The message says where the text stops being XML, but not what it is, because it may be a secret. */
  private malformed(why: string): InvalidRequestError {
    return new InvalidRequestError([{ path: '', message: `is not valid XML: ${why}, at character ${this.at}.` }]);
  }
}

function valueOf({ members, texts }: OpenElement): XmlValue {
  const text = (texts.length === 1 ? (texts[0] as string) : texts.join('')).trim();
  if (members.size === 0) return text;
  if (text !== '') members.set(TEXT_MEMBER, text);
  return Object.fromEntries(members);
}

/** The place of the semicolon after the ampersand; -1 when it is too far away. */
function endOfReference(text: string, start: number): number {
  for (let at = start + 1; at <= start + 1 + LONGEST_REFERENCE; at++) if (text.charCodeAt(at) === SEMICOLON) return at;
  return -1;
}

/** What a reference stands for; null when it stands for nothing, or for what is no character. */
function characterOf(reference: string): string | null {
  const entity = ENTITIES.get(reference);
  if (entity !== undefined) return entity;
  const [, decimal, hex] = CHARACTER.exec(reference) ?? [];
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : null;
}

const tooMany = (most: number, what: string): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `XML has at most ${most} ${what}.` }]);
