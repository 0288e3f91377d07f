import { ActionFailure } from '../framework/piece';

const LONGEST_KEY = 128;
const MOST_CHARACTERS = 512 * 1024;
const MOST_CHARACTERS_OF_CALL = 16 * 1024 * 1024;

/** Bounds what one call writes to the store, because all of it is in memory until the call has ended. */
export class WriteBounds {
  private readonly lengths = new Map<string, number>();
  private sum = 0;

  constructor(
    private readonly mostKeys: number,
    /** What has the bounds, as a sentence begins. */
    private readonly writer: string,
  ) {}

  /** The value as JSON. Throws ActionFailure for a key or a value that is too long, and for too many of them. */
  take(scope: string, key: string, value: unknown): string {
    assertKey(key);
    const text = JSON.stringify(value ?? null);
    if (text === undefined) throw new ActionFailure('A value of the store must be JSON.');
    if (text.length > MOST_CHARACTERS) throw new ActionFailure('A value of the store has at most 512 KB.');
    const place = `${scope} ${key}`;
    this.sum += text.length - (this.lengths.get(place) ?? 0);
    this.lengths.set(place, text.length);
    if (this.lengths.size > this.mostKeys)
      throw new ActionFailure(`${this.writer} changes at most ${this.mostKeys} keys of the store.`);
    if (this.sum > MOST_CHARACTERS_OF_CALL)
      throw new ActionFailure(`${this.writer} writes at most 16 MB to the store.`);
    return text;
  }
}

export function assertKey(key: unknown): void {
  if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
    throw new ActionFailure(`A key of the store has 1 to ${LONGEST_KEY} characters.`);
}
