import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MalformedCase } from './case-file';
import type { Exchange } from './exchange';
import { patience } from '@millrace/e2e-support';

// The rules that every answer keeps, whatever the request was.

/** Other suites keep the machine busy meanwhile. */
const ANSWER_MS = 15_000 * patience;

export type Forbidden = readonly [what: string, pattern: string | RegExp][];

/** Patterns of internals that no answer may contain. The data of a case, which answers repeat, must not match them. */
export const INSIDE_OF_SERVER: Forbidden = readInternals();

function readInternals(): Forbidden {
  const file = resolve(__dirname, '../../../../tests/cases/server-internals.json');
  const internals = JSON.parse(readFileSync(file, 'utf8')) as { what: string; pattern: string; flags?: string }[];
  return internals.map(({ what, pattern, flags }) => [what, new RegExp(pattern, flags)]);
}

export function leaksIn(text: string, forbidden: Forbidden): string[] {
  return forbidden
    .filter(([, pattern]) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)))
    .map(([what]) => `${what} in: ${text.slice(0, 300)}`);
}

/** Returns one sentence for each rule that the answer breaks. */
export function brokenRules(one: MalformedCase, answer: Exchange, forbidden: Forbidden, patient: boolean): string[] {
  const { status, errorShape, code } = one.expect;
  const asserts: [holds: boolean, otherwise: string][] = [
    [status.includes(answer.status), `expected status ${status.join(' or ')}, got ${answer.status}`],
    [answer.status < 500, `answered ${answer.status}`],
    [patient || answer.ms <= ANSWER_MS, `answered after ${Math.round(answer.ms)} ms`],
    [Boolean(answer.headers['x-request-id']), 'has no x-request-id'],
  ];
  const shape = errorShape && answer.status >= 400 ? shapeProblems(answer, code) : [];
  const broken = [...asserts.filter(([holds]) => !holds).map(([, otherwise]) => otherwise), ...shape];
  return [
    ...(broken.length > 0 ? [...broken, `the answer: ${answer.body.slice(0, 200)}`] : []),
    ...leaksIn(JSON.stringify(answer.headers) + answer.body, forbidden),
  ];
}

/** Statuses without a check of the code: HTTP refuses these requests before the application sees them. */
const TOO_LONG: readonly number[] = [414, 431];

function shapeProblems({ status, headers, body }: Exchange, codes: string[] | undefined): string[] {
  const problems: string[] = [];
  const error = jsonObject(body);
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    problems.push(`is of type ${headers['content-type']}`);
  if (!error) return [...problems, 'is no JSON object'];
  const { statusCode, code, params } = error;
  if (Object.keys(error).sort().join() !== 'code,params,statusCode')
    problems.push(`has the fields ${Object.keys(error).sort().join()}`);
  if (statusCode !== status) problems.push(`says statusCode ${JSON.stringify(statusCode)}`);
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]*$/.test(code)) problems.push(`has code ${JSON.stringify(code)}`);
  else if (codes && !TOO_LONG.includes(status) && !codes.includes(code))
    problems.push(`has code ${code}, expected ${codes.join(' or ')}`);
  if (typeof params !== 'object' || params === null || Array.isArray(params)) problems.push('has no params object');
  return problems;
}

export function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
