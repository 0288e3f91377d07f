/** A place in a text at which one of the patterns stands. */
export interface FoundText {
  at: number;
  pattern: string;
}

const SLOTS = 4_096;
const LONGEST_SHIFT = 255;

/**
 * Searches for many patterns at once (the method of Wu and Manber). It looks at two characters and mostly skips as many
 * as the shortest pattern has, so a text without any pattern costs less than one read of its characters.
 */
export class TextSearch {
  private readonly shortest: number;
  /** How far the end of the window may move when these two characters are its last. */
  private readonly shifts = new Uint8Array(SLOTS);
  /** The patterns whose first `shortest` characters end with these two characters, the longest first. */
  private readonly ending = new Map<number, string[]>();

  /** Each pattern must have at least two characters. */
  constructor(patterns: readonly string[]) {
    this.shortest = Math.min(LONGEST_SHIFT, ...patterns.map(({ length }) => length));
    this.shifts.fill(this.shortest - 1);
    for (const pattern of [...patterns].sort((a, b) => b.length - a.length)) this.add(pattern);
  }

  /** The first place from `from` on. Of the patterns that begin there, the longest counts. */
  find(text: string, from = 0): FoundText | null {
    for (let end = from + this.shortest - 1; end < text.length;) {
      const slot = slotOf(text, end);
      const shift = this.shifts[slot] as number;
      if (shift === 0) {
        const at = end - this.shortest + 1;
        const pattern = this.ending.get(slot)?.find((each) => text.startsWith(each, at));
        if (pattern !== undefined) return { at, pattern };
      }
      end += shift || 1;
    }
    return null;
  }

  /** All places, from left to right. They do not overlap. */
  *findAll(text: string): Generator<FoundText> {
    for (let found = this.find(text); found; found = this.find(text, found.at + found.pattern.length)) yield found;
  }

  /** Puts another text in place of all that is found. */
  replace(text: string, replacement: string): string {
    let replaced = '';
    let copied = 0;
    for (const { at, pattern } of this.findAll(text)) {
      replaced += text.slice(copied, at) + replacement;
      copied = at + pattern.length;
    }
    return copied === 0 ? text : replaced + text.slice(copied);
  }

  private add(pattern: string): void {
    for (let end = 1; end < this.shortest; end++) {
      const slot = slotOf(pattern, end);
      this.shifts[slot] = Math.min(this.shifts[slot] as number, this.shortest - 1 - end);
    }
    const slot = slotOf(pattern, this.shortest - 1);
    const others = this.ending.get(slot);
    if (others) others.push(pattern);
    else this.ending.set(slot, [pattern]);
  }
}

/** The slot of two characters. Different characters may share a slot, which costs time only. */
const slotOf = (text: string, end: number): number =>
  ((text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (SLOTS - 1);
