import {
  mergeWrites,
  type PendingWrites,
  type StoredTexts,
  type StoreEntries,
  type StoreWrite,
} from '@millrace/domain';
import type { HookStore } from '../framework/hooks';
import { assertStorable, storeWrite } from './store-keys';
import { assertKey, WriteBounds } from './write-bounds';

const MOST_KEYS = 1_000;

/** Reads the store of a flow, and keeps its changes back until they are written with what the hook was called for. */
export class BufferedHookStore implements HookStore {
  private own: StoreWrite[] = [];
  private readonly bounds = new WriteBounds(MOST_KEYS, 'A hook');

  constructor(
    private readonly entries: Pick<StoreEntries, 'get'>,
    private readonly flow: { id: string; projectId: string },
    private readonly pending: PendingWrites,
    private readonly texts: StoredTexts,
  ) {}

  get writes(): readonly StoreWrite[] {
    return this.own;
  }

  async get(key: string, scope: StoreWrite['scope'] = 'FLOW'): Promise<unknown> {
    assertKey(key);
    const isSame = (write: StoreWrite): boolean => write.key === key && write.scope === scope;
    const kept = this.own.find(isSame) ?? this.pending.findLast(isSame);
    if (kept) return this.revealed(kept);
    const { id, projectId } = this.flow;
    return this.entries.get({ projectId, scope, scopeId: scope === 'FLOW' ? id : projectId, key }, this.texts);
  }

  async put(key: string, value: unknown, scope: StoreWrite['scope'] = 'FLOW'): Promise<void> {
    const text = this.bounds.take(scope, key, value);
    assertStorable(key, value ?? null, this.texts);
    this.own = mergeWrites(this.own, [storeWrite({ scope, key }, text, this.texts)]);
  }

  private async revealed({ value, references }: StoreWrite): Promise<unknown> {
    const text = JSON.stringify(value);
    return JSON.parse(references ? await this.texts.reveal({ text, references }) : text) as unknown;
  }

  async delete(key: string, scope: StoreWrite['scope'] = 'FLOW'): Promise<void> {
    await this.put(key, null, scope);
  }
}
