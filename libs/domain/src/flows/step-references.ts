const TOKEN = /\{\{([\s\S]*?)\}\}/g;
const STRING_LITERAL = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
/** A name that is not a member of something, and is itself looked into. */
const LOOKED_INTO = /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:\?\.|\.(?!\.)|\[)/g;
const LONE_NAME = /^\s*([A-Za-z_$][\w$]*)\s*$/;
const PARAMETERS = /(?:\(([^()]*)\)|([A-Za-z_$][\w$]*))\s*=>/g;

/** Names an expression may use that are no step. */
const GIVEN = new Set(['connections', 'run', 'this', 'undefined', 'null', 'true', 'false', 'NaN', 'Infinity']);

/**
 * The names that the expressions in a value use as steps, each once. A reading of the text, not of the language: it
 * serves warnings, so it would rather miss a name than invent one.
 */
export function stepReferences(value: unknown): string[] {
  const names = new Set<string>();
  for (const text of stringsIn(value))
    for (const [, expression = ''] of text.matchAll(TOKEN)) for (const name of namesIn(expression)) names.add(name);
  return [...names];
}

function* stringsIn(value: unknown): Generator<string> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) pending.push(member);
  }
}

function namesIn(expression: string): string[] {
  const lone = LONE_NAME.exec(expression)?.[1];
  const code = expression.replace(STRING_LITERAL, '""');
  const found = lone ? [lone] : [...code.matchAll(LOOKED_INTO)].map(([, name = '']) => name);
  const own = new Set(
    [...code.matchAll(PARAMETERS)].flatMap(([, list, single]) => (single ?? list ?? '').split(/\W+/)),
  );
  return found.filter((name) => !GIVEN.has(name) && !own.has(name) && !(name in globalThis));
}
