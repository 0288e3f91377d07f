import { pickedCompletion, type Completion, type CompletionResult } from '@codemirror/autocomplete';
import { isContainer, valueAt } from '../json-view/json-nodes';
import { beforeCaret } from '../json-view/member-path';
import { briefly, typeWord } from '../json-view/value-words';

/** What can be written: variables by name, with values that are known from tests. */
export type Variables = Readonly<Record<string, unknown>>;

/** More would be slow, and nobody looks through them. */
const MOST_MEMBERS = 500;

/** Completes the name before the caret with the members of what stands before it, or with the variables. */
export function completionsOf(variables: Variables, before: string, at: number): CompletionResult | null {
  const place = beforeCaret(before);
  if (!place) return null;
  const { path, typed, replaced } = place;
  const value = path.length === 0 ? variables : valueAt(variables, path);
  const options = [...membersOf(value, replaced - typed.length), ...(path.length > 0 ? methodsOf(value) : [])];
  return options.length === 0 ? null : { from: at - typed.length, options, validFor: /^[\w$]*$/ };
}

function membersOf(value: unknown, dotLength: number): Completion[] {
  if (!isContainer(value) || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([label]) => dotLength > 0 || PLAIN.test(label))
    .slice(0, MOST_MEMBERS)
    .map(([label, member]) => ({
      label,
      ...(member === undefined ? {} : { detail: `${briefly(member)} · ${typeWord(member)}` }),
      type: dotLength > 0 ? 'property' : 'variable',
      boost: 1,
      ...(PLAIN.test(label) ? {} : { apply: inBrackets(label, dotLength) }),
    }));
}

const PLAIN = /^[A-Za-z_$][\w$]*$/;

/** A name that is no identifier takes the place of the dot: `body.odd` becomes `body["odd key"]`. */
const inBrackets =
  (label: string, dotLength: number): Completion['apply'] =>
  (view, completion, from, to) => {
    const insert = `[${JSON.stringify(label)}]`;
    const start = from - dotLength;
    view.dispatch({
      changes: { from: start, to, insert },
      selection: { anchor: start + insert.length },
      annotations: pickedCompletion.of(completion),
    });
  };

/** The members that lists and texts have in the language. */
function methodsOf(value: unknown): Completion[] {
  const prototype = Array.isArray(value) ? Array.prototype : typeof value === 'string' ? String.prototype : null;
  if (!prototype) return [];
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor' && !name.startsWith('_'));
  return names.map((label) => ({ label, type: label === 'length' ? 'property' : 'method' }));
}
