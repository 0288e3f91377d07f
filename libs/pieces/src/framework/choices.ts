import { isDeepStrictEqual } from 'node:util';
import type { Prop } from './props';
import { asText } from './text-values';

export type PropWithChoices = Extract<Prop, { kind: 'dropdown' | 'multi_select' }>;

/**
 * Whether the value is one of the choices, which may be objects. Choices that another service offers may change, and of
 * long lists only the first choices are known, so any value passes there.
 */
export const isChoice = ({ options, hasMoreOptions }: PropWithChoices, value: unknown): boolean =>
  typeof options === 'function' ||
  hasMoreOptions === true ||
  options.some((choice) => isDeepStrictEqual(choice.value, value));

const MOST_NAMED = 50;
const LONGEST_NAMED = 100;

/** What an input with choices must be, as the end of a sentence. */
export function expectedChoices({ kind, options, hasMoreOptions }: PropWithChoices): string {
  if (typeof options === 'function' || hasMoreOptions)
    return kind === 'dropdown' ? 'one of its options' : 'a list of its options';
  const named = options.slice(0, MOST_NAMED).map(({ value }) => asText(value).slice(0, LONGEST_NAMED));
  const values = `${named.join(', ')}${options.length > MOST_NAMED ? ', …' : ''}`;
  return kind === 'dropdown' ? `one of ${values}` : `a list of any of ${values}`;
}
