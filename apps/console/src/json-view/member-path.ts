import type { Path } from './json-nodes';

// A plain member path in an expression, such as `trigger.body.lines[0].price`: it can be read without the sandbox.

const NAME = '[A-Za-z_$][\\w$]*';
const KEY = `\\??\\.${NAME}|(?:\\?\\.)?\\[(?:0|[1-9]\\d*|"[^"\\\\\\n]*"|'[^'\\\\\\n]*')\\]`;
const PATH = `${NAME}(?:${KEY})*`;
const WHOLE = new RegExp(`^${PATH}$`);
const PART = new RegExp(`^${NAME}|${KEY}`, 'g');

/** Returns the keys of a path, the name of the variable first; null when the text is not just a path. */
export function parsePath(text: string): Path | null {
  const source = text.trim();
  return WHOLE.test(source) ? Array.from(source.matchAll(PART), ([part]) => keyOf(part)) : null;
}

function keyOf(part: string): string | number {
  if (!part.endsWith(']')) return part.slice(part.lastIndexOf('.') + 1);
  const inside = part.slice(part.indexOf('[') + 1, -1);
  return /^\d/.test(inside) ? Number(inside) : inside.slice(1, -1);
}

/** What stands before a caret that can be completed: a member of the value at `path`, of whose name `typed` is there. */
export interface BeforeCaret {
  path: Path;
  typed: string;
  /** How many characters before the caret a name in brackets would replace: what was typed, with the dot before it. */
  replaced: number;
}

/** Longer paths are not completed. */
const LOOKED_AT = 1_000;
const NO_PART_BEFORE = '(?<![\\w$.)\\]\'"`])';
const MEMBER = new RegExp(`${NO_PART_BEFORE}(${PATH})(\\??\\.)((?:${NAME})?)$`);
const VARIABLE = new RegExp(`${NO_PART_BEFORE}((?:${NAME})?)$`);

/** Returns null where no name can be completed. */
export function beforeCaret(text: string): BeforeCaret | null {
  const end = text.slice(-LOOKED_AT);
  const member = MEMBER.exec(end);
  if (member?.[1] !== undefined) {
    const [, source, dot = '', typed = ''] = member;
    const isCut = member.index === 0 && end.length < text.length;
    const path = isCut ? null : parsePath(source);
    return path && { path, typed, replaced: dot.length + typed.length };
  }
  const typed = VARIABLE.exec(end)?.[1];
  return typed === undefined ? null : { path: [], typed, replaced: typed.length };
}
