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

/** An expression, with the connections that it names; null when it does not mention the variable `connections`. */
export interface NamingExpression extends GuestExpression {
  connections: readonly string[] | null;
}

/**
 * Builds the function; null when there are no expressions. The function returns its results as one text. An expression
 * may change the globals, and that could affect how a list is written as JSON (`toJSON`, iterators), but not a text.
 * The expressions stand outside the arrow function that evaluates them, so they see only the globals and the variables
 * that they mention. An expression that may change its scope gets a copy of it, so that their order does not matter.
 * Each expression is given the connections that it names, before any expression runs. Those that name connections run
 * first, so that no other one has changed what they use.
 */
export function guestFunction(
  expressions: readonly NamingExpression[],
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
  const named = expressions.map(({ connections }) => connections);
  const program = guestProgram({ kind: 'expressions', script: scriptOf(entries, copies, named) });
  const namesRawBody = expressions.some(({ source }) => source.includes('rawBody'));
  return { program, names: [...names], namesRawBody, count: expressions.length };
}

/**
 * The source of the function. `copies` says for each expression whether it gets a copy of its scope. The list of
 * expressions is made in a function of its own, whose `arguments` are empty.
 */
function scriptOf(
  entries: readonly string[],
  copies: readonly boolean[],
  named: readonly (readonly string[] | null)[],
): string {
  const naming = named.flatMap((names, index) => (names ? [index] : []));
  const others = named.flatMap((names, index) => (names ? [] : [index]));
  return `function () {
  return ((scope, copies, order, texts, expressions) => {
    const { parse, stringify } = JSON;
    const limitOf = (error) => {
      if (!(error instanceof RangeError || (typeof InternalError === 'function' && error instanceof InternalError))) return 'null';
      switch (error.message) {
        case 'stack overflow': case 'Maximum call stack size exceeded': return '0';
        case 'string too long': case 'invalid string length': case 'Invalid string length': case 'out of memory': return '1';
        default: return 'null';
      }
    };
    ${naming.length > 0 ? narrowing(named, copies) : sharing(copies)}
    for (let at = 0; at < ${entries.length}; at++) {
      const i = order[at];
      let result, limit = 'null';
      try { result = stringify(expressions[i](copies[i] ? parse(textFor(i)) : scopeFor(i))); } catch (error) {
        try { limit = limitOf(error); } catch {}
      }
      texts[i] = typeof result === 'string' ? stringify(result) : limit;
    }
    let results = '[';
    for (let i = 0; i < ${entries.length}; i++) results += (i > 0 ? ',' : '') + texts[i];
    return results + ']';
  })(arguments[0], [${copies.join(', ')}], [${[...naming, ...others].join(', ')}], [${entries.map(() => "''").join(', ')}], (function () { return [
${entries.join(',\n')}
  ]; })());
}`;
}

/** All expressions share the scope. */
const sharing = (copies: readonly boolean[]): string => `const text = ${copies.includes(true)} ? stringify(scope) : '';
    const scopeFor = () => scope, textFor = () => text;`;

/** Each expression gets a scope with the connections that it names. */
const narrowing = (
  named: readonly (readonly string[] | null)[],
  copies: readonly boolean[],
): string => `const { hasOwn, defineProperty } = Object;
    const { connections: all, ...others } = scope;
    const named = ${JSON.stringify(named)}, scopes = [], copied = [];
    const text = ${copies.some((isCopied, index) => isCopied && !named[index])} ? stringify(others) : '';
    for (let i = 0; i < named.length; i++) {
      const names = named[i], connections = {};
      if (names) for (let j = 0; j < names.length; j++)
        if (hasOwn(all, names[j])) defineProperty(connections, names[j], { value: all[names[j]], enumerable: true, configurable: true, writable: true });
      scopes[i] = names ? { ...others, connections } : others;
      copied[i] = names && copies[i] ? stringify(scopes[i]) : text;
    }
    const scopeFor = (i) => scopes[i], textFor = (i) => copied[i];`;

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
