import { isJsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

/** Matches a connection's name with a dash after a dot. In today's expressions the dash would be a subtraction. */
const DASHED_NAME = /\{\{(\s*)connections\.(\w+(?:-\w+)+)/g;

/** Turns `{{connections.some-name}}` into `{{connections['some-name']}}`. */
export const connectionNames: Migration = {
  to: 2,
  anyVersion: false,
  migrate(step) {
    const settings = step['settings'];
    if (!isJsonObject(settings) || !isJsonObject(settings['input'])) return step;
    return { ...step, settings: { ...settings, input: withQuotedNames(settings['input']) } };
  },
};

function withQuotedNames(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(DASHED_NAME, "{{$1connections['$2']");
  if (Array.isArray(value)) return value.map(withQuotedNames);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withQuotedNames(member)]));
}
