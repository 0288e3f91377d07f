import { pointer } from './json-reader';

// Shortens a value for a person who looks at it: long texts, long lists and deep objects show only their beginnings.

/** A part that was cut. `count` is how many characters, items or members the whole part has. */
export interface Cut {
  /** A JSON pointer to the part; empty for the whole value. */
  path: string;
  type: 'text' | 'list' | 'object';
  count: number;
}

export interface ShortenedValue {
  value: unknown;
  /** The parts that were cut, in the order in which they are read. */
  cuts: readonly Cut[];
}

const MOST_TEXT = 500;
const MOST_NAME = 200;
const MOST_ITEMS = 20;
const MOST_MEMBERS = 100;
const MOST_DEPTH = 12;
/** What a part costs besides its text and its name, so that many small parts come to an end too. */
const COST_OF_PART = 8;

/** Shortens a JSON value to about so many characters of JSON. */
export function shortenValue(value: unknown, mostCharacters: number): ShortenedValue {
  const shortening = new Shortening(mostCharacters);
  return { value: shortening.shorten(value, '', 0), cuts: shortening.cuts };
}

class Shortening {
  readonly cuts: Cut[] = [];

  constructor(private left: number) {}

  shorten(value: unknown, path: string, depth: number): unknown {
    this.left -= COST_OF_PART;
    if (typeof value === 'string') return this.text(value, path);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.list(value, path, depth) : this.object(value, path, depth);
  }

  private text(text: string, path: string): string {
    const shown = text.slice(0, Math.max(0, Math.min(MOST_TEXT, this.left)));
    this.left -= shown.length;
    if (shown.length === text.length) return text;
    this.cuts.push({ path, type: 'text', count: text.length });
    return shown.replace(/[\uD800-\uDBFF]$/, '');
  }

  private list(list: readonly unknown[], path: string, depth: number): unknown[] {
    const cut = this.cuts.push({ path, type: 'list', count: list.length });
    const shown: unknown[] = [];
    const most = depth < MOST_DEPTH ? MOST_ITEMS : 0;
    for (const item of list.slice(0, most)) {
      if (this.left < COST_OF_PART) break;
      shown.push(this.shorten(item, pointer(path, shown.length), depth + 1));
    }
    if (shown.length === list.length) this.cuts.splice(cut - 1, 1);
    return shown;
  }

  private object(object: object, path: string, depth: number): object {
    const members = Object.entries(object);
    const cut = this.cuts.push({ path, type: 'object', count: members.length });
    const shown: [string, unknown][] = [];
    const most = depth < MOST_DEPTH ? MOST_MEMBERS : 0;
    for (const [name, member] of members.slice(0, most)) {
      if (name.length > MOST_NAME) continue;
      if (this.left < COST_OF_PART + name.length) break;
      this.left -= name.length;
      shown.push([name, this.shorten(member, pointer(path, name), depth + 1)]);
    }
    if (shown.length === members.length) this.cuts.splice(cut - 1, 1);
    return Object.fromEntries(shown);
  }
}
