import {
  mergeWrites,
  shownText,
  storableJson,
  type PendingWrites,
  type StoredTexts,
  type StoreEntries,
  type StoreWrite,
} from '@millrace/domain';
import { ActionFailure } from '../framework/piece';
import type { HookStore } from '../framework/hooks';
import { assertStorable } from './store-keys';

const LONGEST_KEY = 128;
const MOST_KEYS = 1_000;
const MOST_CHARACTERS = 512 * 1024;

/** Reads the store of a flow, and keeps its changes back until they are written with what the hook was called for. */
export class BufferedHookStore implements HookStore {
  private own: StoreWrite[] = [];

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
    assertKey(key);
    const text = JSON.stringify(value ?? null);
    if (text === undefined) throw new ActionFailure('A value of the store must be JSON.');
    if (text.length > MOST_CHARACTERS) throw new ActionFailure('A value of the store has at most 512 KB.');
    assertStorable(key, value ?? null, this.texts);
    const stored = this.texts.hide(storableJson(text));
    const references = typeof stored === 'string' ? {} : { references: stored.references };
    this.own = mergeWrites(this.own, [{ scope, key, value: JSON.parse(shownText(stored)) as unknown, ...references }]);
    if (this.own.length > MOST_KEYS) throw new ActionFailure(`A hook changes at most ${MOST_KEYS} keys of the store.`);
  }

  private async revealed({ value, references }: StoreWrite): Promise<unknown> {
    const text = JSON.stringify(value);
    return JSON.parse(references ? await this.texts.reveal({ text, references }) : text) as unknown;
  }

  async delete(key: string, scope: StoreWrite['scope'] = 'FLOW'): Promise<void> {
    await this.put(key, null, scope);
  }
}

function assertKey(key: unknown): void {
  if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
    throw new ActionFailure(`A key of the store has 1 to ${LONGEST_KEY} characters.`);
}
