import type { JsonText } from '../json/json-text';
import { HiddenValues } from './hidden-values';
import { connectionsReferredBy, shownText, type StoredText } from './value-references';

/** Puts references into what is stored, and the values into what is read again. */
export interface StoredTexts {
  hide(text: JsonText): StoredText;
  reveal(stored: StoredText): JsonText | Promise<JsonText>;
  /** What expressions read of a connection, which is hidden from then on. Absent for those who use no connections. */
  readConnection?(externalId: string): Promise<unknown>;
}

/** For readers: they see the mark, and what they write refers to nothing. */
export const AS_SHOWN: StoredTexts = { hide: (text) => text, reveal: shownText };

/** For those who use connections of a project. The connections that a text refers to are read when they are needed. */
export class ReferringTexts implements StoredTexts {
  /** The values of all connections that were read so far. */
  readonly hidden = new HiddenValues();
  private readonly asked = new Set<string>();
  private readonly found = new Map<string, unknown>();

  /** `find` gives the values of connections as expressions read them; unknown ones are absent. */
  constructor(private readonly find: (externalIds: readonly string[]) => Promise<ReadonlyMap<string, unknown>>) {}

  hide(text: JsonText): StoredText {
    return this.hidden.hide(text);
  }

  async reveal(stored: StoredText): Promise<JsonText> {
    if (typeof stored === 'string') return stored;
    await this.know(connectionsReferredBy(stored.references));
    return this.hidden.reveal(stored);
  }

  /** Reads those of the connections that were not read before. */
  async know(externalIds: readonly string[]): Promise<void> {
    const unread = [...new Set(externalIds)].filter((externalId) => !this.asked.has(externalId));
    if (unread.length === 0) return;
    const found = await this.find(unread);
    for (const externalId of unread) this.asked.add(externalId);
    for (const [externalId, value] of found) this.found.set(externalId, value);
    this.hidden.add(found);
  }

  async readConnection(externalId: string): Promise<unknown> {
    await this.know([externalId]);
    return this.found.get(externalId);
  }

  /** What expressions read of these connections. Those that were not read, or do not exist, are absent. */
  valuesOf(externalIds: readonly string[]): ReadonlyMap<string, unknown> {
    return new Map([...this.found].filter(([externalId]) => externalIds.includes(externalId)));
  }
}
