import { connectionsOfExpression, REDACTED, storableJson, type JsonText } from '@millrace/domain';
import { JsonValue } from '../outputs/json-value';
import type { GuestProgram } from '../ports/code-runner';
import { guestProgram } from '../ports/guest-program';
import type { GuestExpression } from '../expressions/syntax';
import { splitTokens, type Token } from '../expressions/tokens';

// Evaluates the text of one field for the person who writes it, on sample data. It gives what a run would give, but
// where a run goes on with an empty text because an expression failed, it says why and where.
//
// F1. Expressions that need JavaScript are evaluated by the caller's sandbox, each in a call of its own. So one that
//     fails or takes too long does not hide the others. Plain paths only read data.
// F2. No value of a connection is read. An expression that names one gives **REDACTED**.

const CONNECTIONS = 'connections';
const RUN = 'run';
/** People write a few expressions in a field. The bounds keep the work of one text small. */
const MOST_EXPRESSIONS = 50;
const MOST_BROKEN = 20;

/** The text of a field, split at its expressions. */
export type FieldText = readonly (string | Token)[];

export const readFieldText = (text: string): FieldText => splitTokens(text, MOST_BROKEN);

/** Every variable that the expressions of the text mention. */
export function namesIn(field: FieldText): Set<string> {
  const names = new Set<string>();
  for (const part of field) {
    if (typeof part === 'string' || part.kind === 'empty' || part.kind === 'broken') continue;
    if (part.kind === 'path') names.add(part.path.head);
    for (const name of part.expression?.identifiers ?? []) names.add(name);
  }
  return names;
}

/** What the expressions of a field may read. */
export interface FieldSurroundings {
  /** The names of all steps of the version. */
  stepNames: ReadonlySet<string>;
  /** The names of the steps that come before the step of the field. */
  earlier: ReadonlySet<string>;
  /** The last outputs of earlier steps, as far as they have any; null for one that is too large to be read here. */
  samples: ReadonlyMap<string, JsonText | null>;
  /** The run that the variable `run` shows. */
  run: { id: string; flowId: string; projectId: string };
  /** Says whether the project has the connection. */
  hasConnection: (externalId: string) => boolean;
}

export interface ExpressionCall {
  program: GuestProgram & { kind: 'expressions' };
  input: JsonText;
}

/** Line and column say where in the script it failed. They count from 1. */
export type ExpressionOutcome =
  | { kind: 'value'; output: JsonText }
  | { kind: 'failed'; message: string; line?: number; column?: number };

export type RunExpression = (call: ExpressionCall) => Promise<ExpressionOutcome>;

export type FieldEvaluation =
  /** `isMissing`: an expression of the text gave null or undefined, which a run reads as an empty text. */
  | { kind: 'value'; value: JsonText; isMissing: boolean }
  /** `position` is an index into the text. */
  | { kind: 'problem'; message: string; position: number };

type Problem = Extract<FieldEvaluation, { kind: 'problem' }>;
type PartValue = { kind: 'text'; text: JsonText | undefined } | Problem;

/** Evaluates the text. It rejects only when `run` does. */
export async function evaluateFieldText(
  field: FieldText,
  around: FieldSurroundings,
  run: RunExpression,
): Promise<FieldEvaluation> {
  const tokens = field.filter((part) => typeof part === 'object');
  const scope = new FieldScope(around);
  const tooMany = tokens[MOST_EXPRESSIONS];
  if (tooMany) return problem(`A text has at most ${MOST_EXPRESSIONS} expressions.`, startOf(tooMany));
  const values = await Promise.all(tokens.map(async (token) => evaluate(token, scope, run)));
  const failed = values.find((value) => value.kind === 'problem');
  if (failed) return failed;
  const texts = values.map((value) => (value.kind === 'text' ? value.text : undefined));
  return { kind: 'value', value: joined(field, texts), isMissing: texts.some(isNothing) };
}

/** A text that is exactly one token keeps the value's type. In mixed text, strings go in as they are. */
function joined(field: FieldText, texts: readonly (JsonText | undefined)[]): JsonText {
  const [only] = field;
  if (field.length === 1 && typeof only === 'object') {
    const [text] = texts;
    return isNothing(text) ? '""' : storableJson(text);
  }
  let next = 0;
  const strings = field.map((part) => (typeof part === 'string' ? part : stringOf(texts[next++])));
  return storableJson(JSON.stringify(strings.join('')));
}

const isNothing = (text: JsonText | undefined): text is undefined | 'null' => text === undefined || text === 'null';

function stringOf(text: JsonText | undefined): string {
  if (isNothing(text)) return '';
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** The variables of a field, and why one of them has no value. */
class FieldScope {
  constructor(private readonly around: FieldSurroundings) {}

  /** A step of that name hides the variable. */
  isConnections(name: string): boolean {
    return name === CONNECTIONS && !this.around.stepNames.has(name);
  }

  isVariable(name: string): boolean {
    return this.around.stepNames.has(name) || name === RUN || name === CONNECTIONS;
  }

  find(name: string): JsonValue | null {
    if (name === RUN && !this.around.stepNames.has(name)) return JsonValue.ofValue(this.around.run);
    const sample = this.around.earlier.has(name) ? this.around.samples.get(name) : undefined;
    return sample ? JsonValue.ofText(sample) : null;
  }

  textOf(names: readonly string[]): JsonText {
    const members = names.flatMap((name) => {
      const value = this.find(name);
      return value ? [`${JSON.stringify(name)}:${value.text}`] : [];
    });
    return `{${members.join(',')}}`;
  }

  /** Why the variable has no value; null for one that has a value, or that is no step. */
  problemOf(name: string): string | null {
    if (!this.around.stepNames.has(name) || this.find(name)) return null;
    if (!this.around.earlier.has(name)) return `The step ${name} does not come before this one.`;
    return this.around.samples.has(name)
      ? `The sample data of the step ${name} is too large to show what the expression gives.`
      : `The step ${name} has no sample data yet.`;
  }

  /** What an expression gives that names these connections: their value is hidden. */
  hidden(connections: Iterable<string>, position: number): PartValue {
    for (const externalId of connections)
      if (!this.around.hasConnection(externalId))
        return problem(`There is no connection ${JSON.stringify(externalId)}.`, position);
    return { kind: 'text', text: JSON.stringify(REDACTED) };
  }
}

function evaluate(token: Token, scope: FieldScope, run: RunExpression): PartValue | Promise<PartValue> {
  switch (token.kind) {
    case 'empty':
      return { kind: 'text', text: undefined };
    case 'broken': {
      const { message, line, column, expression } = token.problem;
      return problem(`${message}.`, token.start + offsetIn(expression, line, column));
    }
    case 'path':
      if (scope.isVariable(token.path.head)) return evaluatePath(token, scope);
      return token.expression ? evaluateGuest(token.expression, token.start, scope, run) : nothing;
    case 'guest':
      return evaluateGuest(token.expression, token.start, scope, run);
  }
}

const nothing: PartValue = { kind: 'text', text: undefined };

function evaluatePath({ path: { head, keys }, start }: Token & { kind: 'path' }, scope: FieldScope): PartValue {
  if (scope.isConnections(head)) return scope.hidden(keys.slice(0, 1).map(String), start);
  const missing = scope.problemOf(head);
  if (missing !== null) return problem(missing, start);
  return { kind: 'text', text: scope.find(head)?.textAt(keys) };
}

async function evaluateGuest(
  expression: GuestExpression,
  start: number,
  scope: FieldScope,
  run: RunExpression,
): Promise<PartValue> {
  const { source, identifiers } = expression;
  if ([...identifiers].some((name) => scope.isConnections(name)))
    return scope.hidden(connectionsOfExpression(source), start);
  const names = [...identifiers].filter((name) => scope.isVariable(name));
  const outcome = await run({ program: programOf(source, names), input: scope.textOf(names) });
  const text = outcome.kind === 'value' ? textIn(outcome.output) : undefined;
  if (outcome.kind === 'value' && text !== undefined) return { kind: 'text', text };
  // An expression may name a parameter of its own like a step, so a missing step is no problem of one that has a value.
  const missing = names.map((name) => scope.problemOf(name)).find((reason) => reason !== null);
  if (missing !== undefined) return problem(missing, start);
  if (outcome.kind === 'value') return nothing;
  const { message, line, column = 1 } = outcome;
  return problem(message, line === undefined ? start : start + offsetIn(source, line - LINES_BEFORE, column));
}

/** The lines of the script before the expression. */
const LINES_BEFORE = 1;

/**
 * The script of one expression. It returns the value as JSON text, or null for a value that has none. The expression
 * stands outside the functions around it, so it sees only the globals and the variables that it mentions.
 */
function programOf(source: string, names: readonly string[]): ExpressionCall['program'] {
  const script = `function () { return ((stringify, scope, evaluate) => { const text = stringify(evaluate(scope)); return typeof text === 'string' ? text : null; })(JSON.stringify, arguments[0], (function () { return ({ ${names.join(', ')} }) => (
${source}
); })()); }`;
  return guestProgram({ kind: 'expressions', script }) as ExpressionCall['program'];
}

/** The JSON text in the output of a script; undefined for a value that a run reads as an empty text. */
function textIn(output: JsonText): JsonText | undefined {
  const text: unknown = JSON.parse(output);
  return typeof text === 'string' && text !== 'null' ? text : undefined;
}

const problem = (message: string, position: number): Problem => ({ kind: 'problem', message, position });

const startOf = (token: Token): number => (token.kind === 'empty' ? 0 : token.start);

/** The index of a line and column, which count from 1. A place after the end of the text is its end. */
function offsetIn(text: string, line: number, column: number): number {
  const before = text.split('\n', Math.max(0, line - 1)).reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(text.length, before + Math.max(0, column - 1));
}
