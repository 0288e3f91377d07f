import { Injectable } from '@nestjs/common';
import {
  AS_SHOWN,
  isId,
  ServiceUnavailableError,
  shownText,
  storableJson,
  StoreEntries,
  type Page,
  type PageRequest,
  type StoredTexts,
  type StoreEntry,
  type StorePlace,
  type StoreWrite,
} from '@millrace/domain';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { readPage } from '../lists/page-cursor';
import { inTransaction } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import { decodeText, encodeText } from '../postgres/stored-text';
import { OneAtATime } from './one-at-a-time';
import {
  findEntry,
  insertEntry,
  listEntries,
  removeEntry,
  replaceEntry,
  type EntryWrite,
  type StoredEntry,
} from './store-entry.statements';
import { writeStoreEntries } from './store-writes';

/** How often a change is tried. A round fails only when another process has changed the same entry meanwhile. */
const MAX_ROUNDS = 50;
/** The longest pause between two rounds. A round takes about a millisecond. */
const LONGEST_PAUSE_MS = 32;

interface AskedChange {
  key: string | null;
  change: (value: unknown) => unknown;
  texts: StoredTexts;
}

/**
 * A change reads the entry and writes it if no other write came between. It holds no lock and no connection while it
 * computes the value, because the connections belong to the hot path. Changes by one process wait for each other in
 * memory, so that only processes compete.
 */
@Injectable()
export class PostgresStoreEntries extends StoreEntries {
  private readonly changes = new OneAtATime();

  constructor(private readonly pool: Pool) {
    super();
  }

  async get(place: StorePlace, texts = AS_SHOWN): Promise<unknown> {
    if (!isPlace(place)) return null;
    const found = await namingOutages(() => findEntry(this.pool, place));
    return found ? parsed(found.value, texts) : null;
  }

  async change(
    place: StorePlace,
    stepKey: string | null,
    change: (value: unknown) => unknown,
    texts = AS_SHOWN,
  ): Promise<unknown> {
    const asked = { key: stepKey === null ? null : storableText(stepKey), change, texts };
    return this.changes.run(nameOf(place), async () => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const after = await namingOutages(() => this.attempt(place, asked));
        if (after) return after.value;
        // Processes that have met wait for different times, so that one of them gets ahead.
        await sleep(Math.random() * Math.min(2 ** round, LONGEST_PAUSE_MS));
      }
      throw new ServiceUnavailableError(`Other runs keep changing the entry ${JSON.stringify(place.key)}.`, 1);
    });
  }

  async write(flow: { flowId: string; projectId: string }, writes: readonly StoreWrite[]): Promise<void> {
    if (writes.length === 0) return;
    await namingOutages(() => inTransaction(this.pool, (tx) => writeStoreEntries(tx, flow, writes)));
  }

  async list(
    filter: Pick<StorePlace, 'projectId'> & Partial<StorePlace>,
    page: PageRequest,
  ): Promise<Page<StoreEntry>> {
    const { projectId, scope, scopeId, key } = filter;
    const read = await readPage(page, ['store entries', projectId, scope, scopeId, key], async (slice) =>
      isPlace(filter) ? listEntries(this.pool, filter, slice) : [],
    );
    return { ...read, data: await Promise.all(read.data.map(toEntry)) };
  }

  /** Returns null when another process has changed the entry meanwhile. */
  private async attempt(
    place: StorePlace,
    { key: stepKey, change, texts }: AskedChange,
  ): Promise<{ value: unknown } | null> {
    const found = await findEntry(this.pool, place);
    const before = found ? await parsed(found.value, texts) : null;
    if (found && stepKey !== null && found.last_step_key === stepKey) return { value: before };
    const after = change(before) ?? null;
    if (after === null) return !found || (await removeEntry(this.pool, found)) ? { value: null } : null;
    const write: EntryWrite = { value: await encodeText(texts.hide(storableJson(JSON.stringify(after)))), stepKey };
    const written = found
      ? await replaceEntry(this.pool, found, write)
      : await insertEntry(this.pool, place, newId(), write);
    return written ? { value: after } : null;
  }
}

/**
 * Throws ServiceUnavailableError when the database is unavailable, so that the step which asks does not fail for it.
 */
async function namingOutages<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw nameDatabaseError(error);
  }
}

/** A text that is no id names no entries, and PostgreSQL would refuse it. */
const isPlace = ({ projectId, scopeId }: Pick<StorePlace, 'projectId'> & Partial<StorePlace>): boolean =>
  isId(projectId) && (scopeId === undefined || isId(scopeId));

const nameOf = ({ projectId, scope, scopeId, key }: StorePlace): string =>
  JSON.stringify([projectId, scope, scopeId, key]);

const parsed = async (value: Buffer, texts: StoredTexts): Promise<unknown> =>
  JSON.parse(await texts.reveal(await decodeText(value))) as unknown;

const toEntry = async (row: StoredEntry): Promise<StoreEntry> => ({
  id: row.id,
  projectId: row.project_id,
  scope: row.scope,
  scopeId: row.scope_id,
  key: row.key,
  value: JSON.parse(shownText(await decodeText(row.value))) as unknown,
  created: row.created,
  updated: row.updated,
});
