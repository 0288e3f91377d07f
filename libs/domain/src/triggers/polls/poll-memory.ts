import type { References } from '../../connections/value-references';
import type { AskedSchedule } from '../trigger-plan';
import type { PolledItem } from './polled-item';

// What a poll remembers from one time to the next. It belongs to the flow and survives republishing and disabling.
//
// M1. An item starts one run: its key is remembered in the transaction that starts the run, or that keeps the item
//     waiting for its run.
// M2. The first poll of a source remembers what is there and starts no run.
// M3. At least the MOST_KEYS keys that were seen last are remembered, so an item that is gone for a while and comes
//     back, or that changes its place, starts no second run.
// M4. At most MOST_RUNS runs start at once. The other items wait in the memory, and nothing is asked of the source
//     until they have started, so what waits is bounded by one answer.
// M5. A trigger that has set its own schedule says itself what is new: equal items of it start a run each.

export const MOST_KEYS = 10_000;
export const MOST_RUNS = 500;

export interface PollMemory {
  /** A fingerprint of what is polled. Another source has other items, so its first poll is a first one. */
  source: string | null;
  /** What the trigger has put into its store, by key. */
  store: Readonly<Record<string, unknown>>;
  /** The values of connections to which the store refers. */
  storeReferences?: References | null;
  /** The keys of the items that are known, those that were seen last first; null before the first poll. */
  seen: readonly string[] | null;
  /** The items that have no run yet, oldest first. Their keys are among `seen`, unless the trigger has a schedule. */
  waiting: readonly PolledItem[];
  /** When the trigger wants to be asked; absent when it has not said so. */
  schedule?: AskedSchedule;
  /** When the schedule wants the next poll, in milliseconds since 1970. A poll that comes earlier asks nothing. */
  dueAt?: number;
}

export const NO_MEMORY: PollMemory = { source: null, store: {}, seen: null, waiting: [] };

/** What a trigger found, and what it has in its store afterwards. */
export interface PollFindings {
  source: string;
  store: PollMemory['store'];
  storeReferences?: PollMemory['storeReferences'];
  /** Oldest first. */
  items: readonly PolledItem[];
  /** The schedule for which the trigger has asked by this poll. */
  schedule?: AskedSchedule;
}

/** The items whose runs start now, and what is remembered in the same transaction. */
export interface StartingItems {
  starting: readonly PolledItem[];
  memory: PollMemory;
}

/** Takes note of what a poll found. The memory is the same object when nothing in it changes. */
export function takeFindings(memory: PollMemory, findings: PollFindings): StartingItems {
  const { source, store, storeReferences, items } = findings;
  const kept = storeReferences ? { store, storeReferences } : { store };
  const seen = source === memory.source ? memory.seen : null;
  const schedule = findings.schedule ?? (seen === null ? undefined : memory.schedule);
  if (schedule) {
    const waiting = seen === null ? memory.waiting : [...memory.waiting, ...items];
    return startWaiting({ source, ...kept, seen: [], waiting, schedule });
  }
  const known = new Set(seen);
  const fresh = new Map(items.filter(({ key }) => !known.has(key)).map((item) => [item.key, item]));
  if (seen !== null && fresh.size === 0) {
    const { storeReferences: _before, ...others } = memory;
    return startWaiting(store === memory.store ? memory : { ...others, ...kept });
  }
  const waiting = seen === null ? memory.waiting : [...memory.waiting, ...fresh.values()];
  return startWaiting({ source, ...kept, seen: keysAfter(items, seen ?? []), waiting });
}

/** Takes the items whose turn it is out of the memory. */
export function startWaiting(memory: PollMemory): StartingItems {
  const { waiting } = memory;
  if (waiting.length === 0) return { starting: [], memory };
  return { starting: waiting.slice(0, MOST_RUNS), memory: { ...memory, waiting: waiting.slice(MOST_RUNS) } };
}

/** All keys of this poll are kept, however many, because the next poll may find the same items. */
function keysAfter(items: readonly PolledItem[], before: readonly string[]): string[] {
  const current = new Set(items.map(({ key }) => key));
  const keys = new Set([...current, ...before]);
  return [...keys].slice(0, Math.max(MOST_KEYS, current.size));
}
