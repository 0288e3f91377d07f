import { isJsonObject } from '@millrace/domain';
import { coerceValue, Misfit, readJson } from './coerce-value';
import { Coercion, type Coerced } from './coercion';
import type { Prop, Props } from './props';

// Coerces the input of a step to the kinds that its props declare.
//
// C1. An input that is absent, null or '' is missing; an expression that finds nothing results in ''. An optional prop
//     of the kind `text` or `any` keeps '' as its value.
// C2. Text becomes a number, a boolean, a date or JSON when the prop asks for one. A number or a boolean becomes text
//     when the prop asks for text. No other kind is converted.
// C3. An input that no prop declares is dropped.
// C4. A draft is checked by the same rules, except that an input with an expression in it passes. Of a list whose items
//     have members, only the members with an expression pass.
// C5. The items of a list that declares their members are objects, and their members are coerced as inputs are. In place
//     of such a list there may be one object whose members are lists, as the ecosystem's editor writes it: its first item
//     has the first of each list, and so on, and a member that is no list is the same in all items.
// C6. Lists that declare members are bounded, all of an input together, because a short input can make very long ones.

export type InputValues = Readonly<Record<string, unknown>>;

export type CoercedInput = { input: Record<string, unknown> } | { problems: string[] };

/** Where the values are in the input of the step, and how the author wrote them. */
export interface InputPlace {
  /** The key of the input of which the values are members. Absent for the inputs of the step itself. */
  under?: string;
  written?: unknown;
  /** The bounds that these values share with others. Absent when they have bounds of their own. */
  coercion?: Coercion;
}

/**
 * Coerces a resolved input. Each problem is one sentence that names the input by its display name and its key. When the
 * input is missing because an expression resolved to nothing, the sentence quotes the expression.
 */
export function coerceInput(props: Props, given: InputValues, place: InputPlace = {}): CoercedInput {
  const { under, written, coercion = new Coercion() } = place;
  const coerced = coerceMembers(props, given, { under, written, coercion });
  if ('problems' in coerced) return coerced;
  const tooLong = Object.entries(props).find(
    ([name, prop]) => hasItems(prop) && !coercion.takesLength(ownValue(coerced.input, name)),
  );
  return tooLong ? { problems: [tooLarge(tooLong[1], pathOf(tooLong[0], under))] } : coerced;
}

interface MembersPlace {
  under: string | undefined;
  written: unknown;
  coercion: Coercion;
}

function coerceMembers(props: Props, given: InputValues, { under, written, coercion }: MembersPlace): CoercedInput {
  const input: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, prop] of Object.entries(props)) {
    const value = valueOf(prop, ownValue(given, name));
    const path = pathOf(name, under);
    if (isMissing(value)) {
      if (prop.required) problems.push(`${labelOf(prop, path)} is required${whyMissing(memberOf(written, name))}.`);
      else if (value === '' && (prop.kind === 'text' || prop.kind === 'any')) input[name] = value;
      continue;
    }
    const place = { under: path, written: memberOf(written, name), coercion };
    const coerced = coercion.once(prop, value, () => coerceMember(prop, value, place));
    if ('problems' in coerced) problems.push(...coerced.problems);
    else input[name] = coerced.value;
  }
  return problems.length > 0 ? { problems } : { input };
}

function coerceMember(prop: Prop, value: unknown, place: ValuePlace): Coerced {
  if (hasItems(prop)) return coerceItems(prop, value, place);
  const coerced = coerceValue(prop, value);
  if (!(coerced instanceof Misfit)) return { value: coerced };
  return { problems: [`${labelOf(prop, place.under)} must be ${coerced.expected}.`] };
}

const pathOf = (name: string, under: string | undefined): string => (under === undefined ? name : `${under}.${name}`);

const labelOf = ({ displayName }: Prop, path: string): string => `The input "${displayName}" (${path})`;

type ListOfObjects = Prop & { kind: 'array'; members: Props };

const hasItems = (prop: Prop): prop is ListOfObjects => prop.kind === 'array' && prop.members !== undefined;

/** Coercing the members of more items would keep a worker from its other runs. */
const MOST_ITEMS = 10_000;
/** A list of which every item is wrong is wrong in the same way, so the first problems say enough. */
const MOST_ITEM_PROBLEMS = 20;

type ValuePlace = MembersPlace & { under: string };

function coerceItems(prop: ListOfObjects, given: unknown, { under, written, coercion }: ValuePlace): Coerced {
  const list = itemsOf(prop, given);
  if (!list) return { problems: [`${labelOf(prop, under)} must be a list.`] };
  const tooMany = tooManyItems(prop, list.length, { under, coercion });
  if (tooMany !== null) return { problems: [tooMany] };
  const items: unknown[] = [];
  const problems: string[] = [];
  for (let index = 0; index < list.length && problems.length < MOST_ITEM_PROBLEMS; index++) {
    const place = {
      under: `${under}[${index}]`,
      written: Array.isArray(written) ? (written[index] as unknown) : written,
      coercion,
    };
    const coerced = coerceItem(prop, list.at(index), place);
    if (coercion.isSpent) return { problems: [tooLarge(prop, under)] };
    if ('problems' in coerced) problems.push(...coerced.problems);
    else items.push(coerced.input);
  }
  return problems.length > 0 ? { problems: problems.slice(0, MOST_ITEM_PROBLEMS) } : { value: items };
}

/** Items that are made one by one, because there may be too many. */
interface Items {
  readonly length: number;
  at(index: number): unknown;
}

/** The items of a list, or of an object whose members are lists (C5). Null when it is neither. */
function itemsOf({ members }: ListOfObjects, value: unknown): Items | null {
  const json = readJson(value);
  if (Array.isArray(json)) return json as unknown[];
  if (!isJsonObject(json)) return null;
  const given = Object.entries(json).filter(([name]) => Object.hasOwn(members, name));
  const lengths = given.map(([, each]) => (Array.isArray(each) ? each.length : 1));
  return {
    length: Math.max(0, ...lengths),
    at: (index) =>
      Object.fromEntries(given.map(([name, each]) => [name, Array.isArray(each) ? (each[index] as unknown) : each])),
  };
}

/** The problem of a list with too many items, or with too many after the other lists. Null when there is none. */
function tooManyItems(
  prop: ListOfObjects,
  items: number,
  { under, coercion }: Pick<ValuePlace, 'under' | 'coercion'>,
): string | null {
  if (items > MOST_ITEMS) return `${labelOf(prop, under)} must have at most ${MOST_ITEMS.toLocaleString('en')} items.`;
  return coercion.takesItems(items, Object.keys(prop.members).length) ? null : tooLarge(prop, under);
}

const tooLarge = (prop: Prop, path: string): string =>
  `${labelOf(prop, path)} is too large: the lists of a step have at most ${Coercion.bounds} together.`;

function coerceItem(prop: ListOfObjects, item: unknown, place: ValuePlace): CoercedInput {
  const object = readJson(item);
  if (isJsonObject(object)) return coerceMembers(prop.members, object, place);
  return { problems: [`${labelOf(prop, place.under)} must be an object.`] };
}

const LONGEST_QUOTE = 200;

/** The end of the sentence about a missing value. It names the expression that gave nothing. */
export function whyMissing(written: unknown): string {
  if (typeof written !== 'string' || !written.includes('{{')) return '';
  return `, and ${written.length > LONGEST_QUOTE ? `${written.slice(0, LONGEST_QUOTE)}…` : written} gave nothing`;
}

/** Finds the problems of an input as the author wrote it, with its expressions. */
export function inputProblems(
  props: Props,
  written: InputValues,
  { under, coercion = new Coercion() }: Omit<InputPlace, 'written'> = {},
): string[] {
  return Object.entries(props).flatMap(([name, prop]) => {
    const value = ownValue(written, name);
    if (holdsExpression(value))
      return hasItems(prop) ? itemProblems(prop, value, { under: pathOf(name, under), coercion }) : [];
    const coerced = coerceInput({ [name]: prop }, written, { under, coercion });
    return 'problems' in coerced ? coerced.problems : [];
  });
}

/** Finds the problems of a written list, of which something is an expression. */
function itemProblems(
  prop: ListOfObjects,
  written: unknown,
  { under, coercion }: Pick<ValuePlace, 'under' | 'coercion'>,
): string[] {
  if (!Array.isArray(written)) return [];
  const tooMany = tooManyItems(prop, written.length, { under, coercion });
  if (tooMany !== null) return [tooMany];
  const problems: string[] = [];
  for (let index = 0; index < written.length && problems.length < MOST_ITEM_PROBLEMS; index++) {
    const place = { under: `${under}[${index}]`, written: written[index] as unknown, coercion };
    problems.push(...problemsOfItem(prop, place));
    if (coercion.isSpent) return [tooLarge(prop, under)];
  }
  return problems.slice(0, MOST_ITEM_PROBLEMS);
}

function problemsOfItem(prop: ListOfObjects, place: ValuePlace): string[] {
  const { written } = place;
  if (isJsonObject(written)) return inputProblems(prop.members, written, place);
  const coerced = holdsExpression(written) ? null : coerceItem(prop, written, place);
  return coerced && 'problems' in coerced ? coerced.problems : [];
}

/** Finds the problems of the members of the input `under`. The input's own prop reports a value that is no object. */
export function memberProblems(props: Props, written: unknown, under: string): string[] {
  if (isMissing(written)) return inputProblems(props, {}, { under });
  return isJsonObject(written) ? inputProblems(props, written, { under }) : [];
}

/** The paths of the members of the input `under` that no prop declares, unless nothing is in them. */
export function unknownMembers(props: Props, written: unknown, under: string): string[] {
  const value = readJson(written);
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => unknownKeys(props, item, `${under}[${index}].`));
  return unknownKeys(props, value, `${under}.`);
}

/** The keys of the object that no prop declares, each after the prefix. A value that is no object has none. */
export function unknownKeys(props: Props, written: unknown, prefix = ''): string[] {
  if (!isJsonObject(written)) return [];
  return Object.keys(written)
    .filter((key) => !Object.hasOwn(props, key) && !isMissing(written[key]))
    .map((key) => `${prefix}${key}`);
}

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Whether a text anywhere in the value has an expression. A loop does this, because authors may nest without limit. */
export function holdsExpression(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' && next.includes('{{')) return true;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) pending.push(inner);
  }
  return false;
}

const ownValue = (values: InputValues, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const memberOf = (written: unknown, name: string): unknown =>
  isJsonObject(written) ? ownValue(written, name) : undefined;

const valueOf = (prop: Prop, value: unknown): unknown => (isMissing(value) ? (prop.defaultValue ?? value) : value);
