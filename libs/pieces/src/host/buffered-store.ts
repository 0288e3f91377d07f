import { ActionFailure, type TriggerStore } from '../framework/piece';

const LONGEST_KEY = 128;
const MOST_KEYS = 1_000;
const MOST_CHARACTERS = 512 * 1024;

/** Keeps the changes of a trigger's store in memory until they are committed with the runs of the poll. */
export class BufferedStore implements TriggerStore {
  private readonly entries: Map<string, unknown>;
  private hasChanged = false;

  constructor(before: Readonly<Record<string, unknown>>) {
    this.entries = new Map(Object.entries(before));
  }

  /** False when every value is what it was before. */
  get isChanged(): boolean {
    return this.hasChanged;
  }

  get(key: string): unknown {
    return this.entries.get(key) ?? null;
  }

  put(key: string, value: unknown): void {
    if (key === '' || key.length > LONGEST_KEY)
      throw new ActionFailure(`A key of the store has 1 to ${LONGEST_KEY} characters.`);
    const text = JSON.stringify(value ?? null);
    if (text.length > MOST_CHARACTERS) throw new ActionFailure('A value of the store has at most 512 KB.');
    if (JSON.stringify(this.get(key)) === text) return;
    if (!this.entries.has(key) && this.entries.size >= MOST_KEYS)
      throw new ActionFailure(`The store of a trigger has at most ${MOST_KEYS} keys.`);
    this.entries.set(key, JSON.parse(text) as unknown);
    this.hasChanged = true;
  }

  delete(key: string): void {
    if (this.entries.delete(key)) this.hasChanged = true;
  }

  values(): Record<string, unknown> {
    return Object.fromEntries(this.entries);
  }
}
