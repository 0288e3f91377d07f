import { AS_SHOWN } from '../connections/referring-texts';
import { shownText, type StoredText } from '../connections/value-references';
import type { Page, PageRequest } from '../page';
import { StoreEntries, type StoreEntry, type StorePlace } from '../store/store-entries';
import type { StoreWrite } from '../store/store-writes';
import { anId } from './an-id';

interface KeptEntry extends StoreEntry {
  stored: StoredText;
  changedBy: string | null;
}

export class InMemoryStoreEntries extends StoreEntries {
  private entries: readonly KeptEntry[] = [];

  override async get(place: StorePlace, texts = AS_SHOWN): Promise<unknown> {
    return JSON.parse(await texts.reveal(this.find(place)?.stored ?? 'null'));
  }

  override async change(
    place: StorePlace,
    stepKey: string | null,
    change: (value: unknown) => unknown,
    texts = AS_SHOWN,
  ): Promise<unknown> {
    const entry = this.find(place);
    const before = await this.get(place, texts);
    if (entry && stepKey !== null && entry.changedBy === stepKey) return before;

    if (entry !== this.find(place)) return this.change(place, stepKey, change, texts);
    this.set(place, texts.hide(JSON.stringify(change(before) ?? null)), stepKey);
    return this.get(place, texts);
  }

  override async write(flow: { flowId: string; projectId: string }, writes: readonly StoreWrite[]): Promise<void> {
    const { flowId, projectId } = flow;
    for (const { scope, key, value, references } of writes) {
      const text = JSON.stringify(value);
      const place = { projectId, scope, scopeId: scope === 'FLOW' ? flowId : projectId, key };
      this.set(place, references ? { text, references } : text, null);
    }
  }

  private set(place: StorePlace, stored: StoredText, changedBy: string | null): void {
    const entry = this.find(place);
    const value = JSON.parse(shownText(stored)) as unknown;
    const now = new Date();
    const changed = {
      ...(entry ?? { ...place, id: anId(now), created: now }),
      stored,
      value,
      updated: now,
      changedBy,
    };
    if (value === null) this.entries = this.entries.filter((other) => other !== entry);
    else if (entry) this.entries = this.entries.map((other) => (other === entry ? changed : other));
    else this.entries = [changed, ...this.entries];
  }

  override async list(
    filter: Pick<StorePlace, 'projectId'> & Partial<StorePlace>,
    { limit, cursor }: PageRequest,
  ): Promise<Page<StoreEntry>> {
    const members = Object.keys(filter) as (keyof StorePlace)[];
    const found = this.entries.filter((entry) =>
      members.every((member) => filter[member] === undefined || entry[member] === filter[member]),
    );
    const start = Number(cursor ?? 0);
    return {
      data: found
        .slice(start, start + limit)
        .map(({ changedBy: _changedBy, stored: _stored, ...entry }) => structuredClone(entry)),
      next: start + limit < found.length ? String(start + limit) : null,
      previous: start > 0 ? String(Math.max(0, start - limit)) : null,
    };
  }

  private find({ projectId, scope, scopeId, key }: StorePlace) {
    return this.entries.find(
      (entry) =>
        entry.projectId === projectId && entry.scope === scope && entry.scopeId === scopeId && entry.key === key,
    );
  }
}
