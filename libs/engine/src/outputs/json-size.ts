import type { JsonText } from '@millrace/domain';

/**
 * Whether a JSON text has more bytes than this. A character has at most three bytes, so most texts are not measured.
 */
export const isOver = (text: JsonText, mostBytes: number): boolean =>
  text.length * 3 > mostBytes && Buffer.byteLength(text) > mostBytes;

/** A member of an input that is shorter than this, in characters, stays in the record. */
const SHORT = 10_000;

/** Shortens an input that is too large for its record: a remark replaces each large member, or the whole input. */
export function inBrief(input: JsonText, mostBytes: number): JsonText {
  const members = Object.entries(JSON.parse(input) as object).map(([name, member]) => {
    const text = JSON.stringify(member);
    return `${JSON.stringify(name)}:${text.length > SHORT ? remarkOn(text) : text}`;
  });
  const brief = `{${members.join(',')}}`;
  return isOver(brief, mostBytes) ? remarkOn(input) : brief;
}

const remarkOn = (text: JsonText): JsonText => JSON.stringify(`(${Buffer.byteLength(text)} bytes, too many to keep)`);
