import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { ActionFailure } from '../../framework/piece';
import { absoluteUrl, Namespaces, type XmlElement } from './xml-element';

// Reads XML element by element.
//
// X1. Only the five entities of XML and character references are decoded. A document type is skipped unread, so there
//     are no entities that could grow or that could name a file.
// X2. Depth, number of elements and size are bounded, and an element that `take` accepts is dropped after it.
// X3. The text is read in pieces, between which other work of the process goes on.
// X4. A text that ends before its root element ends is refused: something is missing, perhaps of an item. Smaller errors
//     of the markup are overlooked, since many feeds have some.

const MOST_DEPTH = 100;
const MOST_ELEMENTS = 300_000;
const PIECE_CHARACTERS = 32 * 1024;

export interface ElementTaker {
  /** Looks at an element that has ended; true when it needs to be kept no longer. */
  take(element: XmlElement, depth: number): boolean;
}

/** Resolves with the root element, without the elements that were taken. Rejects with ActionFailure. */
export async function readElements(
  text: string,
  base: string,
  taker: ElementTaker,
  signal: AbortSignal,
): Promise<XmlElement> {
  const reader = new ElementReader(base, taker);
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true });
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
    if (start > 0) await nextTurn();
    signal.throwIfAborted();
    parser.write(text.slice(start, start + PIECE_CHARACTERS));
  }
  reader.isAtEnd = true;
  parser.end();
  return reader.root();
}

class ElementReader {
  private readonly open: { element: XmlElement; namespaces: Namespaces }[] = [];
  private readonly outermost: { base: string; namespaces: Namespaces };
  private finished: XmlElement | null = null;
  private count = 0;
  private isCutOff = false;
  /** Set when the whole text was read: the parser then closes what is still open. */
  isAtEnd = false;

  constructor(
    base: string,
    private readonly taker: ElementTaker,
  ) {
    this.outermost = { base, namespaces: new Namespaces(null, {}) };
  }

  root(): XmlElement {
    if (this.isCutOff) throw new ActionFailure('The feed ends in the middle.');
    if (!this.finished) throw new ActionFailure('The answer is no RSS or Atom feed.');
    return this.finished;
  }

  onopentag(tag: string, written: Readonly<Record<string, string>>): void {
    if (++this.count > MOST_ELEMENTS) throw new ActionFailure(`The feed has more than ${MOST_ELEMENTS} elements.`);
    if (this.open.length >= MOST_DEPTH) throw new ActionFailure(`The feed nests more than ${MOST_DEPTH} levels.`);
    const attributes = lowerCased(written);
    const around = this.open.at(-1);
    const namespaces = (around?.namespaces ?? this.outermost.namespaces).inside(attributes);
    const aroundBase = around?.element.base ?? this.outermost.base;
    const ownBase = attributes['xml:base'];
    const base = ownBase === undefined ? aroundBase : absoluteUrl(ownBase, aroundBase);
    const element: XmlElement = { name: namespaces.nameOf(tag), tag, attributes, children: [], base };
    this.open.push({ element, namespaces });
  }

  ontext(text: string): void {
    this.open.at(-1)?.element.children.push(text);
  }

  onclosetag(_tag: string, isImplied: boolean): void {
    const closed = this.open.pop()?.element;
    if (!closed) return;
    const around = this.open.at(-1)?.element;
    if (this.isAtEnd && isImplied) this.isCutOff = true;
    if (!around) this.finished ??= closed;
    else if (!this.taker.take(closed, this.open.length)) around.children.push(closed);
  }
}

function lowerCased(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]));
}
