import type { Prop } from './props';

/** Of all items, also those members that no item has. 10,000 items may have 50 members. */
const MOST_MEMBERS = 500_000;
/** A message to a package has no more. */
const MOST_VALUES = 300_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

const english = (count: number): string => count.toLocaleString('en');

export type Coerced = { value: unknown } | { problems: string[] };

/**
 * Bounds what one input may become. Items of lists get members that the input has once: those that all items share, and
 * the defaults of their props. Lists in such members multiply them again.
 */
export class Coercion {
  private members = 0;
  private values = 0;
  private characters = 0;
  private readonly last = new Map<Prop, KnownValue>();
  private readonly defaults = new Map<Prop, KnownValue>();

  /** How the end of a sentence names the bounds. */
  static readonly bounds = `${english(MOST_MEMBERS)} members, ${english(MOST_VALUES)} values and 16 MB`;

  /** Whether the input has become too large, so that nothing of it is needed any more. */
  get isSpent(): boolean {
    return this.members > MOST_MEMBERS || this.values > MOST_VALUES || this.characters > MOST_CHARACTERS;
  }

  /** Counts the members of items before they are coerced. False when these are too many. */
  takesItems(items: number, membersOfEach: number): boolean {
    this.members += items * Math.max(1, membersOfEach);
    return !this.isSpent;
  }

  /**
   * Counts the values in this one, and the characters of their texts and names, which is about its length as JSON. A
   * value in several places counts in each. False when these are too many; then the rest is not looked at.
   */
  takesLength(value: unknown): boolean {
    const pending = [value];
    while (pending.length > 0 && !this.isSpent) {
      const next = pending.pop();
      if (typeof next === 'string') this.characters += next.length;
      if (typeof next !== 'object' || next === null) continue;
      const inner = Object.values(next);
      this.values += inner.length;
      if (!Array.isArray(next)) for (const name of Object.keys(next)) this.characters += name.length;
      if (!this.isSpent) for (const each of inner) pending.push(each);
    }
    return !this.isSpent;
  }

  /** The last value of a prop, or its default, is coerced once, and all who have it share what it became. */
  once(prop: Prop, value: unknown, coerce: () => Coerced): Coerced {
    const known = value === prop.defaultValue ? this.defaults : this.last;
    const before = known.get(prop);
    if (before && before.value === value) return before.coerced;
    const coerced = coerce();
    if ('value' in coerced) known.set(prop, { value, coerced });
    return coerced;
  }
}

interface KnownValue {
  readonly value: unknown;
  readonly coerced: Coerced;
}
