import { isJsonObject } from '@millrace/domain';
import { expectedChoices, isChoice, type PropWithChoices } from './choices';
import type { Prop, PropKind, Props } from './props';

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

export type InputValues = Readonly<Record<string, unknown>>;

export type CoercedInput = { input: Record<string, unknown> } | { problems: string[] };

/** Where the values are in the input of the step, and how the author wrote them. */
export interface InputPlace {
  /** The key of the input of which the values are members. Absent for the inputs of the step itself. */
  under?: string;
  written?: unknown;
}

/**
 * Coerces a resolved input. Each problem is one sentence that names the input by its display name and its key. When the
 * input is missing because an expression resolved to nothing, the sentence quotes the expression.
 */
export function coerceInput(props: Props, given: InputValues, { under, written }: InputPlace = {}): CoercedInput {
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
    const coerced = coerce(prop, value);
    if (coerced === MISFIT) problems.push(`${labelOf(prop, path)} must be ${expectationOf(prop)}.`);
    else if (hasItems(prop) && Array.isArray(coerced)) {
      const items = coerceItems(prop, coerced, { under: path, written: memberOf(written, name) });
      if ('problems' in items) problems.push(...items.problems);
      else input[name] = items.items;
    } else input[name] = coerced;
  }
  return problems.length > 0 ? { problems } : { input };
}

const pathOf = (name: string, under: string | undefined): string => (under === undefined ? name : `${under}.${name}`);

const labelOf = ({ displayName }: Prop, path: string): string => `The input "${displayName}" (${path})`;

type ListOfObjects = Prop & { kind: 'array'; members: Props };

const hasItems = (prop: Prop): prop is ListOfObjects => prop.kind === 'array' && prop.members !== undefined;

/** Coercing the members of more items would keep a worker from its other runs. */
const MOST_ITEMS = 10_000;
/** A list of which every item is wrong is wrong in the same way, so the first problems say enough. */
const MOST_ITEM_PROBLEMS = 20;

function coerceItems(
  prop: ListOfObjects,
  given: readonly unknown[],
  { under, written }: { under: string; written: unknown },
): { items: unknown[] } | { problems: string[] } {
  if (given.length > MOST_ITEMS)
    return { problems: [`${labelOf(prop, under)} must have at most ${MOST_ITEMS.toLocaleString('en')} items.`] };
  const items: unknown[] = [];
  const problems: string[] = [];
  for (const [index, item] of given.entries()) {
    const place = {
      under: `${under}[${index}]`,
      written: Array.isArray(written) ? (written[index] as unknown) : written,
    };
    const coerced = coerceItem(prop, item, place);
    if ('problems' in coerced) problems.push(...coerced.problems);
    else items.push(coerced.input);
    if (problems.length >= MOST_ITEM_PROBLEMS) break;
  }
  return problems.length > 0 ? { problems: problems.slice(0, MOST_ITEM_PROBLEMS) } : { items };
}

function coerceItem(prop: ListOfObjects, item: unknown, place: Required<InputPlace>): CoercedInput {
  const object = jsonThat(isJsonObject, item);
  if (isJsonObject(object)) return coerceInput(prop.members, object, place);
  return { problems: [`${labelOf(prop, place.under)} must be an object.`] };
}

const LONGEST_QUOTE = 200;

/** The end of the sentence about a missing value. It names the expression that gave nothing. */
export function whyMissing(written: unknown): string {
  if (typeof written !== 'string' || !written.includes('{{')) return '';
  return `, and ${written.length > LONGEST_QUOTE ? `${written.slice(0, LONGEST_QUOTE)}…` : written} gave nothing`;
}

/** Finds the problems of an input as the author wrote it, with its expressions. */
export function inputProblems(props: Props, written: InputValues, under?: string): string[] {
  return Object.entries(props).flatMap(([name, prop]) => {
    const value = ownValue(written, name);
    if (holdsExpression(value)) return hasItems(prop) ? itemProblems(prop, value, pathOf(name, under)) : [];
    const coerced = coerceInput({ [name]: prop }, written, { under });
    return 'problems' in coerced ? coerced.problems : [];
  });
}

/** Finds the problems of a written list, of which something is an expression. */
function itemProblems(prop: ListOfObjects, written: unknown, path: string): string[] {
  if (!Array.isArray(written)) return [];
  const problems = written.flatMap((item: unknown, index) => {
    const place = { under: `${path}[${index}]`, written: item };
    if (isJsonObject(item)) return inputProblems(prop.members, item, place.under);
    const coerced = holdsExpression(item) ? null : coerceItem(prop, item, place);
    return coerced && 'problems' in coerced ? coerced.problems : [];
  });
  return problems.slice(0, MOST_ITEM_PROBLEMS);
}

/** Finds the problems of the members of the input `under`. The input's own prop reports a value that is no object. */
export function memberProblems(props: Props, written: unknown, under: string): string[] {
  if (isMissing(written)) return inputProblems(props, {}, under);
  return isJsonObject(written) ? inputProblems(props, written, under) : [];
}

/** The paths of the members of the input `under` that no prop declares, unless nothing is in them. */
export function unknownMembers(props: Props, written: unknown, under: string): string[] {
  const value = typeof written === 'string' ? parsed(written) : written;
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownKeys(props, item, `${under}[${index}].`));
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

const MISFIT = Symbol('misfit');

/** The number that an author has written. Undefined for an expression, and for what is no number. */
export function writtenNumber(written: unknown): number | undefined {
  const number = numberOf(written);
  return typeof number === 'number' ? number : undefined;
}

const ownValue = (values: InputValues, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const memberOf = (written: unknown, name: string): unknown =>
  isJsonObject(written) ? ownValue(written, name) : undefined;

const valueOf = (prop: Prop, value: unknown): unknown => (isMissing(value) ? (prop.defaultValue ?? value) : value);

function coerce(prop: Prop, value: unknown): unknown {
  switch (prop.kind) {
    case 'text':
      return textOf(value);
    case 'number':
      return numberOf(value);
    case 'checkbox':
      return booleanOf(value);
    case 'date':
      return dateOf(value);
    case 'file':
      return typeof value === 'string' && URL.canParse(value) ? value : MISFIT;
    case 'any':
      return value;
    case 'json':
      return typeof value === 'string' ? parsed(value) : value;
    case 'array':
      return hasItems(prop) ? itemsOf(prop, value) : jsonThat(Array.isArray, value);
    case 'object':
    case 'dynamic':
      return jsonThat(isJsonObject, value);
    case 'dropdown':
      return isChoice(prop, value) ? value : MISFIT;
    case 'multi_select':
      return chosen(prop, value);
  }
}

function textOf(value: unknown): unknown {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : MISFIT;
}

function numberOf(value: unknown): unknown {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isFinite(number) ? number : MISFIT;
}

function booleanOf(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : MISFIT;
}

/** Reads a date. A number means milliseconds since 1970, and text without a time zone means UTC. */
function dateOf(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return MISFIT;
  const zoneless = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value);
  const date = new Date(zoneless ? `${value.replace(' ', 'T')}Z` : value);
  return Number.isNaN(date.getTime()) ? MISFIT : date.toISOString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MISFIT;
  }
}

function jsonThat(fits: (value: unknown) => boolean, value: unknown): unknown {
  const json = typeof value === 'string' ? parsed(value) : value;
  return fits(json) ? json : MISFIT;
}

/** The items of a list, or of an object whose members are lists (C5). */
function itemsOf({ members }: ListOfObjects, value: unknown): unknown {
  const json = typeof value === 'string' ? parsed(value) : value;
  if (!isJsonObject(json)) return Array.isArray(json) ? json : MISFIT;
  const given = Object.entries(json).filter(([name]) => Object.hasOwn(members, name));
  const lengths = given.map(([, each]) => (Array.isArray(each) ? each.length : 1));
  // One item too many is enough to refuse the list.
  return Array.from({ length: Math.min(Math.max(0, ...lengths), MOST_ITEMS + 1) }, (_, index) =>
    Object.fromEntries(given.map(([name, each]) => [name, Array.isArray(each) ? (each[index] as unknown) : each])),
  );
}

function chosen(prop: PropWithChoices, value: unknown): unknown {
  const list = jsonThat(Array.isArray, value);
  return Array.isArray(list) && list.every((entry) => isChoice(prop, entry)) ? list : MISFIT;
}

const EXPECTATIONS: Readonly<Record<Exclude<PropKind, 'dropdown' | 'multi_select'>, string>> = {
  text: 'text',
  number: 'a number',
  checkbox: 'true or false',
  array: 'a list',
  object: 'an object',
  dynamic: 'an object',
  json: 'JSON',
  any: 'a value',
  date: 'a date',
  file: 'the URL of a file',
};

function expectationOf(prop: Prop): string {
  if (prop.kind !== 'dropdown' && prop.kind !== 'multi_select') return EXPECTATIONS[prop.kind];
  return expectedChoices(prop);
}
