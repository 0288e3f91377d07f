/** A literal without an end reaches to the end of the text. Otherwise each quote in it would start another search. */
export const STRING_LITERAL = /'(?:[^'\\]|\\[^])*(?:'|\\?$)|"(?:[^"\\]|\\[^])*(?:"|\\?$)|`(?:[^`\\]|\\[^])*(?:`|\\?$)/g;
/** Matches a name that is not a member of an object, when the expression reads a member of it. */
const LOOKED_INTO = /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:\?\.|\.(?!\.)|\[)/g;
const LONE_NAME = /^\s*([A-Za-z_$][\w$]*)\s*$/;
const PARAMETERS = /(?:\(([^()]*)\)|(?<![\w$])([A-Za-z_$][\w$]*))\s*=>/g;

/** The names that an expression may use and that are not steps. */
const GIVEN = new Set(['connections', 'run', 'this', 'undefined', 'null', 'true', 'false', 'NaN', 'Infinity']);

/** A part of a text: an expression without its braces `{{ }}`, or the text between two expressions. */
export interface TextPart {
  isExpression: boolean;
  text: string;
}

/**
 * The names of steps that the expressions in a value use, each once. It reads the text and not the language. It serves
 * warnings, so it may miss a name but must not invent one.
 */
export function stepReferences(value: unknown): string[] {
  const names = new Set<string>();
  for (const text of stringsIn(value))
    for (const part of textParts(text)) if (part.isExpression) for (const name of namesIn(part.text)) names.add(name);
  return [...names];
}

/** Matches the variable of the connections, neither as a member of an object nor as the name of a member. */
const CONNECTIONS = /(?<![\w$])(?<!(?<!\.\.)\.)connections(?![\w$])(?!\s*:)/;

/** Whether the expressions in a value read connections, also by computed names. It may miss a use, as stepReferences. */
export function readsConnections(value: unknown): boolean {
  for (const text of stringsIn(value))
    for (const part of textParts(text)) {
      const code = part.text.replace(STRING_LITERAL, '""');
      if (part.isExpression && CONNECTIONS.test(code) && !parametersIn(code).has('connections')) return true;
    }
  return false;
}

/** Splits a text into expressions and the text between them. An expression ends at the first `}}`. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  for (;;) {
    const open = text.indexOf('{{', start);
    const close = open < 0 ? -1 : text.indexOf('}}', open + 2);
    if (close < 0) break;
    parts.push({ isExpression: false, text: text.slice(start, open) });
    parts.push({ isExpression: true, text: text.slice(open + 2, close) });
    start = close + 2;
  }
  return [...parts, { isExpression: false, text: text.slice(start) }];
}

/** The names that an expression gives to the parameters of its own functions. */
export function parametersIn(code: string): Set<string> {
  return new Set([...code.matchAll(PARAMETERS)].flatMap(([, list, single]) => (single ?? list ?? '').split(/\W+/)));
}

/** All strings in a value, in the order in which they are written. */
export function* stringsIn(value: unknown): Generator<string> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null)
      for (const member of Object.values(next).reverse()) pending.push(member);
  }
}

function namesIn(expression: string): string[] {
  const lone = LONE_NAME.exec(expression)?.[1];
  const code = expression.replace(STRING_LITERAL, '""');
  const found = lone ? [lone] : [...code.matchAll(LOOKED_INTO)].map(([, name = '']) => name);
  const own = parametersIn(code);
  return found.filter((name) => !GIVEN.has(name) && !own.has(name) && !(name in globalThis));
}
