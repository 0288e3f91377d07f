import type { JsonText } from '@millrace/domain';
import type { GuestProgram } from '../ports/code-runner';
import { guestProgram } from '../ports/guest-program';
import type { GuestExpression } from './syntax';

/** One function that evaluates all expressions of a step which need JavaScript. It is called once per step. */
export interface GuestFunction {
  program: GuestProgram;
  /** The variables of the scope that the expressions mention. */
  names: readonly string[];
  /** Whether an expression mentions `rawBody`. A large raw body is left out of the trigger's output otherwise. */
  namesRawBody: boolean;
  /** The number of expressions. */
  count: number;
}

/** The result of each expression, in their order, as JSON text. Null when the expression threw or has no JSON. */
export type GuestResults = readonly (JsonText | null)[];

/** The limits that an expression may reach. The index of the limit is then the expression's result. */
const LIMITS = ['stack limit', 'memory limit'];

/**
 * Builds the function; null when there are no expressions. The function returns its results as one text. An expression
 * may change the globals, and that could affect how a list is written as JSON (`toJSON`, iterators), but not a text.
 * The expressions stand outside the arrow function that evaluates them, so they see only the globals and the variables
 * that they mention. An expression that may change its scope gets a copy of it, so that their order does not matter.
 */
export function guestFunction(
  expressions: readonly GuestExpression[],
  known: ReadonlySet<string>,
): GuestFunction | null {
  if (expressions.length === 0) return null;
  const names = new Set<string>();
  const entries = expressions.map((expression) => {
    const wanted = [...expression.identifiers].filter((name) => known.has(name));
    for (const name of wanted) names.add(name);
    return `({ ${wanted.join(', ')} }) => (${expression.source}\n)`;
  });
  const copies = expressions.map(({ mayChangeItsScope }) => expressions.length > 1 && mayChangeItsScope);
  const program = guestProgram({ kind: 'expressions', script: scriptOf(entries, copies) });
  const namesRawBody = expressions.some(({ source }) => source.includes('rawBody'));
  return { program, names: [...names], namesRawBody, count: expressions.length };
}

/** The source of the function. `copies` says for each expression whether it gets a copy of its scope. */
function scriptOf(entries: readonly string[], copies: readonly boolean[]): string {
  return `function () {
  return ((scope, copies, expressions) => {
    const { parse, stringify } = JSON;
    const limitOf = (error) => {
      if (!(error instanceof RangeError || (typeof InternalError === 'function' && error instanceof InternalError))) return 'null';
      switch (error.message) {
        case 'stack overflow': case 'Maximum call stack size exceeded': return '0';
        case 'string too long': case 'invalid string length': case 'Invalid string length': case 'out of memory': return '1';
        default: return 'null';
      }
    };
    const text = ${copies.includes(true)} ? stringify(scope) : '';
    let results = '[';
    for (let i = 0; i < ${entries.length}; i++) {
      let result, limit = 'null';
      try { result = stringify(expressions[i](copies[i] ? parse(text) : scope)); } catch (error) {
        try { limit = limitOf(error); } catch {}
      }
      results += (i > 0 ? ',' : '') + (typeof result === 'string' ? stringify(result) : limit);
    }
    return results + ']';
  })(arguments[0], [${copies.join(', ')}], [
${entries.join(',\n')}
  ]);
}`;
}

/**
 * Reads the output of the function: the results, or the name of the limit that an expression reached. Null when the
 * output does not have the form that the function returns.
 */
export function guestResults({ count }: GuestFunction, output: JsonText): GuestResults | { limit: string } | null {
  const text: unknown = JSON.parse(output);
  if (typeof text !== 'string') return null;
  const results: unknown = JSON.parse(text);
  if (!Array.isArray(results) || results.length !== count) return null;
  const limit = LIMITS[results.find((result) => typeof result === 'number') as number];
  if (limit !== undefined) return { limit };
  return results.every(isResult) ? results : null;
}

const isResult = (result: unknown): result is JsonText | null => result === null || typeof result === 'string';
