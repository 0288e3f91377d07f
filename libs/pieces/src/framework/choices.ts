import { asText } from './text-values';
import type { Choice, Prop } from './props';

export type PropWithChoices = Extract<Prop, { kind: 'dropdown' | 'multi_select' }>;

/**
 * Whether the value is one of the choices, which may be objects. Choices that another service offers may change, and of
 * long lists only the first choices are known, so any value passes there. The costs grow with the value and not with the
 * number of choices.
 */
export function isChoice({ options, hasMoreOptions }: PropWithChoices, value: unknown): boolean {
  if (typeof options === 'function' || hasMoreOptions === true) return true;
  const { plain, objects } = knownChoices(options);
  return isObject(value) ? objects.size > 0 && objects.has(canonicalText(value)) : plain.has(value);
}

interface KnownChoices {
  readonly plain: ReadonlySet<unknown>;
  /** The canonical texts of the choices that are objects or lists. */
  readonly objects: ReadonlySet<string>;
}

const KNOWN = new WeakMap<readonly Choice[], KnownChoices>();

function knownChoices(options: readonly Choice[]): KnownChoices {
  const before = KNOWN.get(options);
  if (before) return before;
  const values = options.map(({ value }) => value);
  const objects = new Set(values.filter(isObject).map((value) => canonicalText(value)));
  const known = { plain: new Set(values.filter((value) => !isObject(value))), objects };
  KNOWN.set(options, known);
  return known;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Choices with more levels are compared to this one, which bounds the recursion. */
const MOST_LEVELS = 100;

/** The JSON of a value with its names in order, so that equal values have equal texts. */
function canonicalText(value: unknown, levels = MOST_LEVELS): string {
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  if (levels === 0) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, levels - 1)).join(',')}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonicalText(each, levels - 1)}`).join(',')}}`;
}

const MOST_NAMED = 50;
const LONGEST_NAMED = 100;

/** What an input with choices must be, as the end of a sentence. */
export function expectedChoices({ kind, options, hasMoreOptions }: PropWithChoices): string {
  if (typeof options === 'function' || hasMoreOptions)
    return kind === 'dropdown' ? 'one of its options' : 'a list of its options';
  const named = options.slice(0, MOST_NAMED).map(({ value }) => asText(value ?? null).slice(0, LONGEST_NAMED));
  const values = `${named.join(', ')}${options.length > MOST_NAMED ? ', …' : ''}`;
  return kind === 'dropdown' ? `one of ${values}` : `a list of any of ${values}`;
}
