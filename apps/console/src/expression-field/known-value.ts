import { isKnownAt, type CutValue } from '../json-view/cut-value';
import { valueAt } from '../json-view/json-nodes';
import { parsePath } from '../json-view/member-path';
import { tokensOf, type Token } from './tokens';

/** What the page knows of the steps before a step: the sample data of each by its name. */
export type Samples = ReadonlyMap<string, CutValue>;

export type KnownValue =
  /** There is no expression in the text. */
  | { kind: 'plain' }
  | { kind: 'value'; value: unknown; isMissing: boolean }
  /** Only the service can say. */
  | { kind: 'ask' };

/** What a text with plain member paths gives, such as `{{ trigger.body.name }}`. No code is executed here. */
export function knownValue(text: string, samples: Samples): KnownValue {
  const tokens = tokensOf(text);
  if (tokens.length === 0) return { kind: 'plain' };
  const values: unknown[] = [];
  for (const { source } of tokens) {
    const path = parsePath(source);
    const sample = samples.get(String(path?.[0]));
    const keys = path?.slice(1) ?? [];
    if (!path || !sample || !isKnownAt(sample, keys)) return { kind: 'ask' };
    if (keys.length > 0 && typeof valueAt(sample.value, keys.slice(0, -1)) === 'string') return { kind: 'ask' }; // such as the length of a text
    values.push(valueAt(sample.value, keys));
  }
  const isMissing = values.some(isNothing);
  const [only] = tokens;
  if (only && only.from === 0 && only.to === text.length) return { kind: 'value', value: values[0] ?? '', isMissing };
  return { kind: 'value', value: joined(text, tokens, values), isMissing };
}

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/** In a text, what is no text is written as JSON. */
function joined(text: string, tokens: readonly Token[], values: readonly unknown[]): string {
  let at = 0;
  const parts = tokens.map(({ from, to }, index) => {
    const before = text.slice(at, from);
    at = to;
    return before + textOf(values[index]);
  });
  return parts.join('') + text.slice(at);
}

const textOf = (value: unknown): string =>
  isNothing(value) ? '' : typeof value === 'string' ? value : JSON.stringify(value);
