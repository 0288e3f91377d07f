import { isJsonObject } from '@millrace/domain';
import { expectedChoices, isChoice, type PropWithChoices } from './choices';
import type { Prop, PropKind } from './props';

// Coerces one value to the kind of its prop. Its neighbour coerce-input.ts says when, and coerces the items of lists
// that have members.

/** A value that does not fit its prop. */
export class Misfit {
  /** `expected` is the end of a sentence: what the value must be. */
  constructor(readonly expected: string) {}
}

const MISFIT = Symbol('misfit');

/** The value as its prop wants it, or a Misfit. Of a list that declares members, the items are left as they are. */
export function coerceValue(prop: Prop, value: unknown): unknown {
  const coerced = converted(prop, value);
  return coerced === MISFIT ? new Misfit(expectationOf(prop)) : coerced;
}

function converted(prop: Prop, value: unknown): unknown {
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
      return jsonThat((json) => json !== undefined, value);
    case 'array':
      return jsonThat(Array.isArray, value);
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

/** The number that an author has written. Undefined for an expression, and for what is no number. */
export function writtenNumber(written: unknown): number | undefined {
  const number = numberOf(written);
  return typeof number === 'number' ? number : undefined;
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

/** What a text says as JSON; undefined when it is no JSON. Another value stays as it is. */
export function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function jsonThat(fits: (value: unknown) => boolean, value: unknown): unknown {
  const json = readJson(value);
  return fits(json) ? json : MISFIT;
}

const MOST_CHOSEN = 10_000;
const TOO_MANY_CHOSEN = new Misfit(`a list of at most ${MOST_CHOSEN.toLocaleString('en')} of its options`);

function chosen(prop: PropWithChoices, value: unknown): unknown {
  const list = readJson(value);
  if (!Array.isArray(list)) return MISFIT;
  if (list.length > MOST_CHOSEN) return TOO_MANY_CHOSEN;
  return list.every((entry) => isChoice(prop, entry)) ? list : MISFIT;
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
