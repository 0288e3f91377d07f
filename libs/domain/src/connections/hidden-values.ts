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

/** The searches for all that is hidden, each made when it is first used. */
class Searches {
  private readonly texts: readonly string[];
  private text: TextSearch | undefined;
  private json: TextSearch | undefined;
  private beginning: TextSearch | undefined;

  constructor(texts: Iterable<string>) {
    this.texts = [...texts];
  }

  get inText(): TextSearch {
    return (this.text ??= new TextSearch(this.texts));
  }

  /** The search in JSON text, in which a character may be escaped. */
  get inJson(): TextSearch {
    if (this.json) return this.json;
    const written = this.texts.map((text) => (ESCAPED.test(text) ? inJson(text) : text));
    const isSame = written.every((text, index) => text === this.texts[index]);
    return (this.json = isSame ? this.inText : new TextSearch(written));
  }

  /** The search for the first characters of what is hidden. */
  get beginnings(): TextSearch {
    return (this.beginning ??= new TextSearch([...new Set(this.texts.map((text) => text.slice(0, SHORTEST_SECRET)))]));
  }

  get longest(): number {
    return Math.max(...this.texts.map(({ length }) => length));
  }
}

/** The characters that JSON.stringify may escape. */
// eslint-disable-next-line no-control-regex -- these are the characters
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

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
      for (const secret of secretsIn(value))
        for (const form of formsOf(secret))
          this.hideAs(writtenAs(form, secret.text), [externalId, form, ...secret.path]);
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
    return new Hiding(canonical, this.all, this.references).result ?? text;
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
    if (text.length < SHORTEST_SECRET || this.references.has(text)) return;
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
    return (this.searches ??= new Searches(this.references.keys()));
  }

  /** A sender may escape characters that `JSON.stringify` does not escape. */
  private mayBeIn(text: JsonText): boolean {
    return text.includes('\\u') || text.includes('\\/') || this.all.inJson.find(text) !== null;
  }
}

/** One hiding: it goes through the strings of a JSON text that `JSON.stringify` wrote. */
class Hiding {
  private hidden = '';
  private copied = 0;
  /** Where the string begins and ends to which this hiding has come. */
  private start = 0;
  private end = 0;
  private readonly to: ValueReference[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly at: References['at'][number][] = [];
  /** The number after the mark in a key. Two keys of an object that are hidden must not become the same key. */
  private keys: number;
  private readonly gap: string;

  constructor(
    private readonly text: JsonText,
    private readonly searches: Searches,
    private readonly references: ReadonlyMap<string, ValueReference>,
  ) {
    this.keys = text.includes(REDACTED) ? 1 : 0;
    this.gap = this.keys > 0 ? freeGap(text) : ' ';
    for (let from = 0; ;) {
      const at = searches.inJson.find(text, from)?.at;
      if (at === undefined) break;
      const isInString = this.goTo(at);
      if (isInString) this.addString(this.start, this.end);
      else this.addNumber(at);
      from = isInString ? this.end : at + 1;
    }
    this.hidden += text.slice(this.copied);
  }

  /** Goes on to the last string that begins before `at`. Returns whether `at` is in it. */
  private goTo(at: number): boolean {
    while (this.end <= at && this.start >= 0 && this.start <= at) {
      this.start = this.text.indexOf('"', this.end);
      if (this.start >= 0 && this.start <= at) this.end = endOfString(this.text, this.start) + 1;
    }
    return this.start >= 0 && this.start <= at;
  }

  get result(): ReferringText | null {
    return this.at.length === 0 ? null : { text: this.hidden, references: { to: this.to, at: this.at } };
  }

  /** Hides the number that begins here, when all of it is a value. */
  private addNumber(start: number): void {
    NUMBER.lastIndex = start;
    const [number] = NUMBER.exec(this.text) ?? [];
    const reference = number === undefined ? undefined : this.references.get(number);
    if (number === undefined || reference?.[1] !== 'plain' || NUMERIC.test(this.text[start - 1] ?? '')) return;
    const [externalId, , ...path] = reference;
    this.hidden += `${this.text.slice(this.copied, start)}"`;
    this.addMark(`${number} as a number`, [externalId, 'number', ...path]);
    this.hidden += '"';
    this.copied = start + number.length;
  }

  private addString(start: number, end: number): void {
    const json = this.text.slice(start, end);
    const text = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
    const found = [...this.searches.inText.findAll(text)];
    if (found.length === 0) return;
    this.hidden += `${this.text.slice(this.copied, start)}"`;
    const isKey = this.text[end] === ':';
    let copied = 0;
    for (const { at, pattern } of found) {
      this.hidden += inJson(text.slice(copied, at));
      copied = at + pattern.length;
      this.addMark(pattern, this.references.get(pattern) as ValueReference, isKey && copied === endOfLast(found));
    }
    this.hidden += `${inJson(text.slice(copied))}"`;
    this.copied = end;
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

const NUMBER = /-?\d[\d.eE+-]*/y;
const NUMERIC = /[\d.eE+-]/;

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
