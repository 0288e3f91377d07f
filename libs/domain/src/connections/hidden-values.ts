import { randomUUID } from 'node:crypto';
import { endOfString, storableJson, type JsonText } from '../json/json-text';
import { formsOf, writtenAs } from './secret-forms';
import { REDACTED, secretAt, secretsIn, SHORTEST_SECRET } from './secrets';
import { TextSearch } from './text-search';
import {
  withValues,
  type References,
  type ReferringText,
  type StoredText,
  type ValueReference,
} from './value-references';

/** The searches for all that is hidden. */
interface Searches {
  inText: TextSearch;
  /** The search in JSON text, in which a character may be escaped. */
  inJson: TextSearch;
  /** The search for the first characters of what is hidden. */
  beginnings: TextSearch;
  longest: number;
}

/**
 * The values of connections that are hidden in all that is stored. Each text of them is hidden wherever it stands, also
 * inside longer texts, in keys, as a number, and in the forms that programs write.
 */
export class HiddenValues {
  private readonly connections = new Map<string, unknown>();
  private readonly references = new Map<string, ValueReference>();
  /** What stands for values that are no longer there, by their references. It is hidden as the values were. */
  private readonly missing = new Map<string, { text: string; externalId: string }>();
  private searches: Searches | null = null;

  get isEmpty(): boolean {
    return this.references.size === 0;
  }

  /** Hides the values of these connections, as expressions read them, from now on. */
  add(connections: ReadonlyMap<string, unknown>): void {
    for (const [externalId, value] of connections) {
      this.connections.set(externalId, value);
      for (const { text, path } of secretsIn(value))
        for (const form of formsOf(text)) this.hideAs(writtenAs(form, text), [externalId, form, ...path]);
    }
  }

  /**
   * The text with the mark in place of all that is hidden, also where the text was cut inside of it. The values cannot be
   * put back.
   */
  mask(text: string): string {
    return this.isEmpty ? text : this.withoutBeginning(this.all.inText.replace(text, REDACTED));
  }

  /** The JSON text with references in place of all that is hidden; the same text when nothing of it is there. */
  hide(text: JsonText): StoredText {
    if (this.isEmpty || !this.mayBeIn(text)) return text;
    const canonical = storableJson(JSON.stringify(JSON.parse(text)));
    if (!this.all.inJson.find(canonical)) return text;
    return new Hiding(canonical, this.all.inText, this.references).result ?? text;
  }

  /**
   * Puts today's values back. In place of a value that is no longer there stands a text that nobody else can write, and
   * that is hidden as the value was.
   */
  reveal(referring: ReferringText): JsonText {
    return withValues(referring, (reference) => this.valueOf(reference) ?? this.standIn(reference));
  }

  /** Puts today's values back. The mark of a value that is no longer there stays. */
  revealFound(referring: ReferringText): JsonText {
    return withValues(referring, (reference) => this.valueOf(reference));
  }

  /** The connection of a value that is no longer there and that the text should have; null when there is none. */
  missedIn(text: string): string | null {
    for (const { text: standing, externalId } of this.missing.values()) if (text.includes(standing)) return externalId;
    return null;
  }

  private valueOf([externalId, form, ...path]: ValueReference): string | null {
    const text = secretAt(this.connections.get(externalId), path);
    if (text === undefined) return null;
    return form === 'number' ? text : writtenAs(form, text);
  }

  private standIn(reference: ValueReference): string {
    const [externalId] = reference;
    const key = JSON.stringify(reference);
    let missing = this.missing.get(key);
    if (!missing) {
      this.missing.set(key, (missing = { text: `**REDACTED ${randomUUID()}**`, externalId }));
      this.hideAs(missing.text, reference);
    }
    return missing.text;
  }

  private hideAs(text: string, reference: ValueReference): void {
    if (this.references.has(text)) return;
    this.references.set(text, reference);
    this.searches = null;
  }

  /** Hides the end of a text that was cut inside of a value. */
  private withoutBeginning(text: string): string {
    const { beginnings, longest } = this.all;
    const start = Math.max(0, text.length - longest);
    for (let found = beginnings.find(text, start); found; found = beginnings.find(text, found.at + 1)) {
      const end = text.slice(found.at);
      for (const hidden of this.references.keys())
        if (hidden.startsWith(end)) return text.slice(0, found.at) + REDACTED;
    }
    return text;
  }

  private get all(): Searches {
    return (this.searches ??= searchesFor([...this.references.keys()]));
  }

  /** A sender may escape characters that `JSON.stringify` does not escape. */
  private mayBeIn(text: JsonText): boolean {
    return text.includes('\\u') || text.includes('\\/') || this.all.inJson.find(text) !== null;
  }
}

function searchesFor(texts: readonly string[]): Searches {
  const escaped = texts.map(inJson);
  const inText = new TextSearch(texts);
  return {
    inText,
    inJson: escaped.every((text, index) => text === texts[index]) ? inText : new TextSearch(escaped),
    beginnings: new TextSearch([...new Set(texts.map((text) => text.slice(0, SHORTEST_SECRET)))]),
    longest: Math.max(...texts.map(({ length }) => length)),
  };
}

const NUMBERS = /-?\d[\d.eE+-]*/g;

/** One hiding: it goes through the strings of a JSON text that `JSON.stringify` wrote. */
class Hiding {
  private hidden = '';
  private readonly to: ValueReference[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly at: References['at'][number][] = [];
  /** The number after the mark in a key. Two keys of an object that are hidden must not become the same key. */
  private keys: number;
  private readonly gap: string;

  constructor(
    text: JsonText,
    private readonly search: TextSearch,
    private readonly references: ReadonlyMap<string, ValueReference>,
  ) {
    this.keys = text.includes(REDACTED) ? 1 : 0;
    this.gap = this.keys > 0 ? freeGap(text) : ' ';
    let copied = 0;
    for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', copied)) {
      this.addBetween(text.slice(copied, start));
      copied = endOfString(text, start) + 1;
      this.addString(text.slice(start, copied), text[copied] === ':');
    }
    this.addBetween(text.slice(copied));
  }

  get result(): ReferringText | null {
    return this.at.length === 0 ? null : { text: this.hidden, references: { to: this.to, at: this.at } };
  }

  /** Text outside of strings. A number is hidden when all of it is a value. */
  private addBetween(text: string): void {
    let copied = 0;
    for (const { 0: number, index } of text.matchAll(NUMBERS)) {
      const reference = this.references.get(number);
      if (reference?.[1] !== 'plain') continue;
      const [externalId, , ...path] = reference;
      this.hidden += `${text.slice(copied, index)}"`;
      this.addMark(`${number} as a number`, [externalId, 'number', ...path]);
      this.hidden += '"';
      copied = index + number.length;
    }
    this.hidden += text.slice(copied);
  }

  private addString(json: JsonText, isKey: boolean): void {
    const text = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
    const found = [...this.search.findAll(text)];
    if (found.length === 0) return void (this.hidden += json);
    this.hidden += '"';
    let copied = 0;
    for (const { at, pattern } of found) {
      this.hidden += inJson(text.slice(copied, at));
      copied = at + pattern.length;
      this.addMark(pattern, this.references.get(pattern) as ValueReference, isKey && copied === endOfLast(found));
    }
    this.hidden += `${inJson(text.slice(copied))}"`;
  }

  /** Adds a mark for what `key` names. */
  private addMark(key: string, reference: ValueReference, isLastOfKey = false): void {
    let index = this.indexes.get(key);
    if (index === undefined) this.indexes.set(key, (index = this.to.push(reference) - 1));
    const number = isLastOfKey && ++this.keys > 1 ? `${this.gap}(${this.keys})` : '';
    this.at.push(number === '' ? [this.hidden.length, index] : [this.hidden.length, index, number.length]);
    this.hidden += REDACTED + number;
  }
}

const endOfLast = (found: readonly { at: number; pattern: string }[]): number => {
  const last = found.at(-1);
  return last ? last.at + last.pattern.length : 0;
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Blanks between a mark and a number, more than there are between them anywhere in the text. */
function freeGap(text: JsonText): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(NUMBERED_MARKS), ([, blanks = '']) => blanks.length));
  return ' '.repeat(longest + 1);
}

const NUMBERED_MARKS = /\*\*REDACTED\*\*( +)\(/g;
