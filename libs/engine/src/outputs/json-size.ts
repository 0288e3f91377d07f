import type { JsonText } from '@millrace/domain';

/** A character of JSON text has at most three bytes, so most texts need not be measured. */
export const isOver = (text: JsonText, mostBytes: number): boolean =>
  text.length * 3 > mostBytes && Buffer.byteLength(text) > mostBytes;

/** A member that is shorter stays as it is. */
const SHORT = 10_000;

/** An input that is too large for its record, with a remark in place of each large member. */
export function inBrief(input: JsonText, mostBytes: number): JsonText {
  const members = Object.entries(JSON.parse(input) as object).map(([name, member]) => {
    const text = JSON.stringify(member);
    return `${JSON.stringify(name)}:${text.length > SHORT ? remarkOn(text) : text}`;
  });
  const brief = `{${members.join(',')}}`;
  return isOver(brief, mostBytes) ? remarkOn(input) : brief;
}

const remarkOn = (text: JsonText): JsonText => JSON.stringify(`(${Buffer.byteLength(text)} bytes, too many to keep)`);
