import type { JsonText } from '@millrace/domain';
import type { GuestProgram } from '../ports/code-runner';
import { guestProgram } from '../ports/guest-program';
import type { GuestExpression } from './syntax';

/** All expressions of one step that need JavaScript, as one function that is called once per step. */
export interface GuestFunction {
  program: GuestProgram;
  /** The variables of the scope that it wants to see. */
  names: readonly string[];
  /** One of them names a trigger's `rawBody`, which is not part of a whole trigger when it is large. */
  namesRawBody: boolean;
  /** How many expressions it evaluates. */
  count: number;
}

/** Parallel to the expressions: each result as JSON text of its own, or null for one that threw or has no JSON. */
export type GuestResults = readonly (JsonText | null)[];

/** By their number, which stands in place of the result of an expression that met one. */
const LIMITS = ['stack limit', 'memory limit'];

/**
 * The function gives its results as one text, which the results cannot change: what an expression did to the globals is
 * asked for a list and its members (`toJSON`, iterators), never for a text. The expressions stand outside the evaluating
 * arrow function, so they see the globals and the variables they name and nothing of ours. One that may change its scope
 * gets a copy: order must not matter.
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
  const script = `function () {
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
    for (let i = 0; i < ${expressions.length}; i++) {
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
  const program = guestProgram({ kind: 'expressions', script });
  const namesRawBody = expressions.some(({ source }) => source.includes('rawBody'));
  return { program, names: [...names], namesRawBody, count: expressions.length };
}

/** Reads what the function gave: results, or the limit that one of them met; null when it is not what the function gives. */
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
