import { parametersIn, STRING_LITERAL, textParts } from './step-references';

// Renames steps in expressions. Like step-references.ts it reads the text and not the language. Because the names are
// known to be steps, every use of a name counts, and not only a use that reads a member of the step.

/** A string or a whole word is one lexeme, so that no part of it is mistaken for a name. */
const LEXEME = new RegExp(`${STRING_LITERAL.source}|[\\w$]+|\\.{3}|\\s+|.`, 'gs');
const INSERTED = /\$\{([^{}`]*)\}/g;
const AFTERWARDS = /\s*(\S?)/y;

/** A copy of the value whose expressions use the new names. It is not recursive, because the value may nest deeply. */
export function renameStepReferences<T>(value: T, renames: ReadonlyMap<string, string>): T {
  const root = { value };
  const pending: Record<string, unknown>[] = [root];
  for (let holder = pending.pop(); holder; holder = pending.pop())
    for (const [key, member] of Object.entries(holder)) {
      if (typeof member === 'string') holder[key] = renameInText(member, renames);
      else if (typeof member === 'object' && member !== null) {
        const copy = Array.isArray(member) ? [...(member as unknown[])] : { ...member };
        holder[key] = copy;
        pending.push(copy);
      }
    }
  return root.value;
}

function renameInText(text: string, renames: ReadonlyMap<string, string>): string {
  return textParts(text)
    .map((part) => (part.isExpression ? `{{${renameInExpression(part.text, renames)}}}` : part.text))
    .join('');
}

function renameInExpression(expression: string, renames: ReadonlyMap<string, string>): string {
  const own = parametersIn(expression);
  const brackets: string[] = [];
  let before = '';
  return expression.replace(LEXEME, (lexeme: string, offset: number) => {
    const previous = before;
    if (lexeme.trim() !== '') before = lexeme;
    if ('([{'.includes(lexeme)) brackets.push(lexeme);
    if (')]}'.includes(lexeme)) brackets.pop();
    if (lexeme.startsWith('`'))
      return lexeme.replace(INSERTED, (_all, inner: string) => `\${${renameInExpression(inner, renames)}}`);
    const renamed = renames.get(lexeme);
    if (renamed === undefined || own.has(lexeme) || previous === '.') return lexeme;
    const startsMember = brackets.at(-1) === '{' && (previous === '{' || previous === ',');
    if (!startsMember) return renamed;
    AFTERWARDS.lastIndex = offset + lexeme.length;
    const isKey = AFTERWARDS.exec(expression)?.[1] === ':';
    return isKey ? lexeme : `${lexeme}: ${renamed}`;
  });
}
