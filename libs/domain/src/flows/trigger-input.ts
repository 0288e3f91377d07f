import { STRING_LITERAL, stringsIn, textParts, type TextPart } from './step-references';
import { isJsonObject } from '../json/json-reader';

// The expressions in the input of a trigger. A trigger is called outside of any run, so its expressions can only read
// connections: `{{connections['id']}}`, or a member of one.

const NAME = /[A-Za-z_$][\w$]*/.source;
const MEMBER = new RegExp(
  `\\s*\\??\\.\\s*(${NAME})|\\s*(?:\\?\\.)?\\[\\s*(?:(\\d+)|(${STRING_LITERAL.source}))\\s*\\]`,
  'y',
);
const START = /^\s*connections(?![\w$])/;

/** One sentence for each expression that a trigger cannot resolve. */
export function triggerExpressionProblems(input: Readonly<Record<string, unknown>>): string[] {
  const expressions = [...stringsIn(input)].flatMap(textParts).filter(({ isExpression }) => isExpression);
  return expressions
    .filter(({ text }) => connectionPath(text) === null)
    .map(({ text }) => `An expression of a trigger can only read connections, and {{${text}}} does not.`);
}

/** The input with its connections read. What does not exist is an empty text. */
export function resolveConnections(
  input: Readonly<Record<string, unknown>>,
  connections: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, resolve(value, connections)]));
}

function resolve(value: unknown, connections: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') return value.includes('{{') ? resolveText(value, connections) : value;
  if (Array.isArray(value)) return value.map((item) => resolve(item, connections));
  return isJsonObject(value) ? resolveConnections(value, connections) : value;
}

/** A text that is exactly one expression keeps the type of its value. */
function resolveText(text: string, connections: ReadonlyMap<string, unknown>): unknown {
  const parts = textParts(text).filter((part) => part.isExpression || part.text !== '');
  const values = parts.map((part) => (part.isExpression ? valueOf(part, connections) : part.text));
  return values.length === 1 ? values[0] : values.map(asText).join('');
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function valueOf({ text }: TextPart, connections: ReadonlyMap<string, unknown>): unknown {
  const [externalId = '', ...members] = connectionPath(text) ?? [];
  let value = connections.get(externalId);
  for (const name of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? '';
}

/** The external id of the connection and the names of the members; null for any other expression. */
function connectionPath(expression: string): string[] | null {
  const start = START.exec(expression);
  if (!start) return null;
  const path: string[] = [];
  let at = start[0].length;
  for (;;) {
    MEMBER.lastIndex = at;
    const [whole, name, index, literal] = MEMBER.exec(expression) ?? [];
    if (whole === undefined) break;
    at += whole.length;
    path.push(name ?? index ?? (literal ?? '').slice(1, -1).replace(/\\([^])/gu, '$1'));
  }
  return path.length > 0 && expression.slice(at).trim() === '' ? path : null;
}
