import { isBranchOperator } from '../flows/branch-operators';
import { evaluateGroups } from '../flows/branch-conditions';
import type { BranchCondition } from '../flows/flow-version';
import { isJsonObject } from '../json/json-reader';
import { parsePath, readPath, type MemberPath } from '../json/member-path';

// A filter of named events: groups of conditions as a router has them. An event passes when all conditions of one group
// hold. It is judged wherever an event is published, so its values are texts, numbers and plain paths into the event
// such as `{{trigger.data.total}}`, and no other expressions.

/** What the paths of a filter begin with: the output of the trigger. */
const EVENT = 'trigger';
const MAX_CONDITIONS = 100;
const TOKEN = /\{\{(.*?)\}\}/gs;

/** Returns one sentence for each problem of a filter as its author wrote it. An absent filter has none. */
export function filterProblems(filter: unknown): string[] {
  if (isAbsent(filter)) return [];
  if (!Array.isArray(filter) || !filter.every((group) => Array.isArray(group) && group.every(isJsonObject)))
    return ['The filter must be a list of groups, each a list of conditions.'];
  const conditions = (filter as Record<string, unknown>[][]).flat();
  if (conditions.length > MAX_CONDITIONS) return [`The filter has more than ${MAX_CONDITIONS} conditions.`];
  return conditions.flatMap(({ operator, firstValue, secondValue, ...others }) => [
    ...Object.keys(others)
      .filter((name) => name !== 'caseSensitive')
      .map((name) => `A condition of the filter does not know the member ${name}.`),
    ...(typeof operator === 'string' && isBranchOperator(operator)
      ? []
      : [
          operator === undefined
            ? 'A condition of the filter has no operator.'
            : `The filter has the operator ${JSON.stringify(operator)}, which does not exist.`,
        ]),
    ...[firstValue, secondValue].flatMap(valueProblems),
  ]);
}

function valueProblems(value: unknown): string[] {
  if (typeof value !== 'string') return [];
  const wrong = Array.from(value.matchAll(TOKEN), ([token]) => token).find((token) => pathOf(token) === null);
  if (wrong === undefined) return [];
  return [`The filter has ${wrong}; it may only have paths such as {{trigger.data.id}}.`];
}

/** Whether an event passes a filter without problems. `output` is what the trigger would give. */
export function passesFilter(filter: unknown, output: unknown): boolean {
  if (isAbsent(filter)) return true;
  const resolved = (filter as BranchCondition[][]).map((group) =>
    group.map((condition) => ({
      ...condition,
      firstValue: resolve(condition.firstValue, output),
      secondValue: resolve(condition.secondValue, output),
    })),
  );
  return evaluateGroups(resolved);
}

const isAbsent = (filter: unknown): boolean =>
  filter === undefined || filter === null || filter === '' || (Array.isArray(filter) && filter.length === 0);

/** A text that is one token gives the value; within other text, values become text. What is missing gives ''. */
function resolve(value: unknown, output: unknown): unknown {
  if (typeof value !== 'string') return value;
  const whole = /^\s*\{\{(?:(?!\}\}).)*\}\}\s*$/s.test(value) ? pathOf(value.trim()) : null;
  if (whole) return readPath(output, whole.keys) ?? '';
  return value.replace(TOKEN, (token) => {
    const path = pathOf(token);
    return path ? textOf(readPath(output, path.keys)) : '';
  });
}

function pathOf(token: string): MemberPath | null {
  const path = parsePath(token.slice(2, -2).trim());
  return path?.head === EVENT ? path : null;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
