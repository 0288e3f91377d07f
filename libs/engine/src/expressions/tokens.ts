import { PATH_PATTERN, parsePath, type MemberPath } from '@millrace/domain';
import { parseExpression, type ExpressionProblem, type GuestExpression, type SyntaxFailure } from './syntax';

// Splits text at its `{{ … }}` tokens.
//
// T1. A token ends where its expression ends and `}}` follows. So braces, strings and regular expressions inside it
//     need no rules of their own, because the JavaScript parser knows them.
// T2. A token that does not parse ends at its matching braces and is a problem. Without matching braces it is text.
// T3. The parser sees at most LONGEST_EXPRESSION characters after each `{{`, which bounds the work.
// T4. After MOST_FAILURES times `{{` without a valid expression, the rest of the text is one problem and is not parsed.
//     A caller may allow fewer.

export const LONGEST_EXPRESSION = 10_000;
export const MOST_FAILURES = 1_000;

/** `start` is where the expression begins in the text, without the blanks before it. */
export type Token =
  | { kind: 'empty' }
  /** `expression` is null when the path is no valid JavaScript (`class.x`). It then means something only for a step. */
  | { kind: 'path'; path: MemberPath; expression: GuestExpression | null; start: number }
  | { kind: 'guest'; expression: GuestExpression; start: number }
  | { kind: 'broken'; problem: ExpressionProblem; start: number };

const PATH_TOKEN = new RegExp(`\\s*(${PATH_PATTERN})\\s*\\}\\}`, 'y');

/** Splits a text into texts and tokens, in their order. A text without tokens is one part. No text part is empty. */
export function splitTokens(text: string, mostFailures = MOST_FAILURES): (string | Token)[] {
  const parts: (string | Token)[] = [];
  let braces: ReadonlyMap<number, number> | null = null;
  let textStart = 0;
  const lastClosing = text.lastIndexOf('}}');
  let open = text.indexOf('{{');
  let failures = 0;
  while (open >= 0 && open < lastClosing) {
    const found =
      failures < mostFailures
        ? tokenAt(text, open, () => (braces ??= matchingBraces(text)))
        : { token: tooManyFailures(text, open, mostFailures), end: text.length };
    if (!found || found.token.kind === 'broken') failures++;
    if (found) {
      if (open > textStart) parts.push(text.slice(textStart, open));
      parts.push(found.token);
      textStart = found.end;
    }
    open = text.indexOf('{{', found?.end ?? open + 2);
  }
  if (textStart < text.length) parts.push(text.slice(textStart));
  return parts;
}

type FoundToken = { token: Token; end: number };

function tooManyFailures(text: string, open: number, most: number): Token {
  const message = `More than ${most} of the "{{" in this text begin no expression`;
  return {
    kind: 'broken',
    start: open,
    problem: { message, ...lineAndColumn(text, open), expression: text.slice(open, open + 20) },
  };
}

function tokenAt(text: string, open: number, braces: () => ReadonlyMap<number, number>): FoundToken | null {
  const start = open + 2;
  const window = text.slice(start, start + LONGEST_EXPRESSION);
  const emptyEnd = endOfToken(window, 0);
  if (emptyEnd !== null) return { token: { kind: 'empty' }, end: start + emptyEnd };

  PATH_TOKEN.lastIndex = 0;
  const source = PATH_TOKEN.exec(window)?.[1];
  const path = source === undefined ? null : parsePath(source);
  if (source !== undefined && path) {
    const parsed = parseExpression(source);
    const whole = 'expression' in parsed && parsed.end === source.length;
    const at = start + blanksBefore(window);
    const token: Token = { kind: 'path', path, expression: whole ? parsed.expression : null, start: at };
    return { token, end: start + PATH_TOKEN.lastIndex };
  }

  const parsed = parseExpression(window);
  if ('failure' in parsed) return brokenToken(text, open, braces(), parsed.failure);
  const end = endOfToken(window, parsed.end);
  if (end !== null) {
    const at = start + parsed.end - parsed.expression.source.length;
    return { token: { kind: 'guest', expression: parsed.expression, start: at }, end: start + end };
  }
  const offset = parsed.end + blanksBefore(window.slice(parsed.end));
  return brokenToken(text, open, braces(), { message: 'Unexpected text after the expression', offset });
}

/** The end of the token when only blanks and comments stand before its `}}`. Null when another text stands there. */
function endOfToken(text: string, from: number): number | null {
  let at = from;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const closing = text.startsWith('/*', at) ? '*/' : text.startsWith('//', at) ? '\n' : null;
    if (closing === null) return text.startsWith('}}', at) ? at + 2 : null;
    const closed = text.indexOf(closing, at + 2);
    if (closed < 0) return null;
    at = closed + closing.length;
  }
}

function brokenToken(
  text: string,
  open: number,
  braces: ReadonlyMap<number, number>,
  failure: SyntaxFailure,
): FoundToken | null {
  const close = braces.get(open + 1);
  if (close === undefined || braces.get(open) !== close + 1) return null;
  const expression = text.slice(open + 2, close);
  const problem =
    expression.length > LONGEST_EXPRESSION
      ? { message: `An expression has at most ${LONGEST_EXPRESSION} characters`, line: 1, column: 1, expression }
      : {
          message: failure.message,
          ...lineAndColumn(expression.trimStart(), Math.max(0, failure.offset - blanksBefore(expression))),
          expression: expression.trim(),
        };
  return { token: { kind: 'broken', problem, start: open + 2 + blanksBefore(expression) }, end: close + 2 };
}

const blanksBefore = (text: string): number => text.length - text.trimStart().length;

function matchingBraces(text: string): ReadonlyMap<number, number> {
  const matches = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else {
      const opening = open.pop();
      if (opening !== undefined) matches.set(opening, index);
    }
  }
  return matches;
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
