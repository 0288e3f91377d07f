import type { Page, PageRequest } from '../page';
import { StoreEntries, type StoreEntry, type StorePlace } from '../store/store-entries';
import { anId } from './an-id';

export class InMemoryStoreEntries extends StoreEntries {
  private entries: readonly (StoreEntry & { changedBy: string | null })[] = [];

  override async get(place: StorePlace): Promise<unknown> {
    return structuredClone(this.find(place)?.value ?? null);
  }

  override async change(
    place: StorePlace,
    stepKey: string | null,
    change: (value: unknown) => unknown,
  ): Promise<unknown> {
    const entry = this.find(place);
    if (entry && stepKey !== null && entry.changedBy === stepKey) return this.get(place);

    const value = structuredClone(change(structuredClone(entry?.value ?? null)) ?? null);
    const now = new Date();
    const changed = {
      ...(entry ?? { ...place, id: anId(now), created: now }),
      value,
      updated: now,
      changedBy: stepKey,
    };
    if (value === null) this.entries = this.entries.filter((other) => other !== entry);
    else if (entry) this.entries = this.entries.map((other) => (other === entry ? changed : other));
    else this.entries = [changed, ...this.entries];
    return this.get(place);
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
      data: found.slice(start, start + limit).map(({ changedBy: _changedBy, ...entry }) => structuredClone(entry)),
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
