import { parseExpressionAt, type Expression } from 'acorn';
import { full } from 'acorn-walk';

/** QuickJS understands this version of the language. */
const ECMA_VERSION = 2023;

/**
 * An expression that does not parse. Line and column count from 1 inside the expression, without the blanks around it.
 */
export interface ExpressionProblem {
  message: string;
  line: number;
  column: number;
  expression: string;
}

const LONGEST_QUOTE = 200;

/** The sentence about the problem that an author reads. */
export function expressionProblemSentence({ expression, message, line, column }: ExpressionProblem): string {
  const quote = expression.length > LONGEST_QUOTE ? `${expression.slice(0, LONGEST_QUOTE)}…` : expression;
  return `The expression {{ ${quote} }} cannot be read: ${message} at line ${line}, column ${column}.`;
}

/** A parsed expression that needs JavaScript. */
export interface GuestExpression {
  source: string;
  /** Every identifier that the expression mentions, its own parameters included. */
  identifiers: ReadonlySet<string>;
  /** Whether the expression calls or assigns something. It may then change the values that it reads (`list.sort()`). */
  mayChangeItsScope: boolean;
}

export interface SyntaxFailure {
  message: string;
  offset: number;
}

export type ParsedSyntax = { expression: GuestExpression; end: number } | { failure: SyntaxFailure };

/** Parses one expression at the start of the text. The caller checks the text after `end`. */
export function parseExpression(text: string): ParsedSyntax {
  try {
    const tree = parseExpressionAt(text, 0, { ecmaVersion: ECMA_VERSION, preserveParens: true });
    return { end: tree.end, expression: { source: text.slice(tree.start, tree.end), ...usesOf(tree) } };
  } catch (error) {
    if (error instanceof SyntaxError) return { failure: syntaxFailure(error) };
    if (error instanceof RangeError) return { failure: { message: 'The expression nests too deeply', offset: 0 } };
    throw error;
  }
}

const CHANGES: ReadonlySet<string> = new Set([
  'CallExpression',
  'NewExpression',
  'TaggedTemplateExpression',
  'AssignmentExpression',
  'UpdateExpression',
]);

function usesOf(tree: Expression): Omit<GuestExpression, 'source'> {
  const identifiers = new Set<string>();
  let mayChangeItsScope = false;
  full(tree, (node) => {
    if (node.type === 'Identifier') identifiers.add((node as { name?: string }).name ?? '');
    if (CHANGES.has(node.type) || (node as { operator?: string }).operator === 'delete') mayChangeItsScope = true;
  });
  return { identifiers, mayChangeItsScope };
}

function syntaxFailure(error: SyntaxError & { pos?: number }): SyntaxFailure {
  return { message: error.message.replace(/ \(\d+:\d+\)$/, ''), offset: error.pos ?? 0 };
}
