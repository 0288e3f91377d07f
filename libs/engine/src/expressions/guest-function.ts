import type { GuestProgram } from '../code-runner';
import { guestProgram } from '../guest-program';
import type { GuestExpression } from './syntax';

/** All expressions of one step that need JavaScript, as one function that is called once per step. */
export interface GuestFunction {
  program: GuestProgram;
  /** The variables of the scope that it wants to see. */
  names: readonly string[];
}

/**
 * The function gives a list parallel to the expressions: each result as JSON text of its own, or null for one that
 * threw or has no JSON. The expressions stand outside the evaluating arrow function, so they see the globals and
 * the variables they name and nothing of ours. One that may change its scope gets a copy: order must not matter.
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
    const copies = expressions.length > 1 && expression.mayChangeItsScope;
    return `[${copies}, ({ ${wanted.join(', ')} }) => (${expression.source}\n)]`;
  });
  const script = `function () {
  return ((scope, expressions) => {
    const { parse, stringify } = JSON;
    const text = expressions.some(([copies]) => copies) ? stringify(scope) : '';
    return expressions.map(([copies, evaluate]) => {
      try { return stringify(evaluate(copies ? parse(text) : scope)) ?? null; } catch { return null; }
    });
  })(arguments[0], [
${entries.join(',\n')}
  ]);
}`;
  return { program: guestProgram({ kind: 'expressions', script }), names: [...names] };
}
