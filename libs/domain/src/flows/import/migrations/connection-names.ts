import { isJsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

/** Matches a connection's name with a dash after a dot. In today's expressions the dash would be a subtraction. */
const DASHED_NAME = /\{\{(\s*)connections\.(\w+(?:-\w+)+)/g;

/** Turns `{{connections.some-name}}` into `{{connections['some-name']}}` wherever runs resolve expressions. */
export const connectionNames: Migration = {
  to: 2,
  anyVersion: false,
  migrate(step) {
    const settings = step['settings'];
    if (!isJsonObject(settings)) return step;
    const { input, items, branches } = settings;
    const rewritten = {
      ...(isJsonObject(input) && { input: withQuotedNames(input) }),
      ...(items !== undefined && { items: withQuotedNames(items) }),
      ...(Array.isArray(branches) && { branches: branches.map(withConditions) }),
    };
    return { ...step, settings: { ...settings, ...rewritten } };
  },
};

/** The branch with its conditions rewritten. Its name is a text for people, in which expressions are not resolved. */
function withConditions(branch: unknown): unknown {
  if (!isJsonObject(branch) || branch['conditions'] === undefined) return branch;
  return { ...branch, conditions: withQuotedNames(branch['conditions']) };
}

function withQuotedNames(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(DASHED_NAME, "{{$1connections['$2']");
  if (Array.isArray(value)) return value.map(withQuotedNames);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withQuotedNames(member)]));
}
