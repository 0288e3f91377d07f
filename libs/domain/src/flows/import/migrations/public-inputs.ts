import { isJsonObject, type JsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

// Triggers and actions of public pieces that are mapped to ours have other names for some inputs and choices. An input without a
// counterpart stays unchanged, and the check of the version then warns that the piece does not know it.
//
// The oldest exports name a public piece without its prefix, as ours are named. Their inputs can be told from ours,
// because none of ours has a name or a choice that is replaced here.

type Inputs = Record<string, unknown>;

/**
 * Turns the inputs of a public piece into ours. Each function changes the inputs that it is given, which are a copy.
 */
const INPUTS_OF: Readonly<Record<string, (input: Inputs, name: unknown, isPublic: boolean) => void>> = {
  http: httpInputs,
  schedule: scheduleInputs,
  store: storeInputs,
};

/** The member of a step's settings that names the trigger or the action. */
const MEMBER_OF_NAME: ReadonlyMap<unknown, string> = new Map([
  ['PIECE', 'actionName'],
  ['PIECE_TRIGGER', 'triggerName'],
]);

export const publicInputs: Migration = {
  to: 20,
  anyVersion: true,
  migrate(step) {
    const settings = step['settings'];
    const nameIn = MEMBER_OF_NAME.get(step['type']);
    if (nameIn === undefined || !isJsonObject(settings) || !isJsonObject(settings['input'])) return step;
    const piece = withoutPrefix(settings['pieceName']);
    if (!Object.hasOwn(INPUTS_OF, piece)) return step;
    const input = { ...settings['input'] };
    INPUTS_OF[piece]?.(input, settings[nameIn], piece !== settings['pieceName']);
    return { ...step, settings: { ...settings, input } };
  },
};

/** The name of a piece without the prefix that public pieces have. Empty for a value that is no name. */
export const withoutPrefix = (pieceName: unknown): string =>
  typeof pieceName === 'string' ? pieceName.replace(/^@activepieces\/piece-/, '') : '';

const AUTH_TYPES = { NONE: 'none', BASIC: 'basic', BEARER_TOKEN: 'bearer' };
const BODY_TYPES = { form_data: 'form' };
const SCOPES = { COLLECTION: 'PROJECT' };

function httpInputs(input: Inputs, actionName: unknown): void {
  if (actionName !== 'send_request') return;
  choose(input, 'authType', AUTH_TYPES);
  if ('body_type' in input) {
    rename(input, 'body_type', 'bodyType');
    choose(input, 'bodyType', BODY_TYPES);
    if (isJsonObject(input['body'])) unwrapBody(input, input['body']);
  }
  rename(input, 'timeout', 'timeoutSeconds');
  if (input['failsafe'] === true || input['failureMode'] === 'continue_all') input['failOnErrorStatus'] = false;
  drop(input, 'failsafe', [true, false]);
  drop(input, 'failureMode', ['continue_all', 'continue_none', 'retry_none', 'all']);
  if (input['use_proxy'] === true) return;
  drop(input, 'use_proxy', [false]);
  delete input['proxy_settings'];
  // Our piece sees from the answer whether it is binary.
  delete input['response_is_binary'];
}

/** Takes the body out of the member `data`, in which public pieces wrap a body of any type. */
function unwrapBody(input: Inputs, body: JsonObject): void {
  const members = Object.keys(body);
  if (members.length === 0) delete input['body'];
  if (members.join() === 'data') input['body'] = input['bodyType'] === 'form' ? formOf(body['data']) : body['data'];
}

/** Turns the list of form fields of newer versions into an object. A list with a file stays, as ours sends no files. */
function formOf(data: unknown): unknown {
  if (!Array.isArray(data) || !data.every(isTextField)) return data;
  return Object.fromEntries(data.map(({ fieldName, textFieldValue }) => [fieldName, textFieldValue ?? '']));
}

const isTextField = (field: unknown): field is { fieldName: string; textFieldValue?: unknown } =>
  isJsonObject(field) && typeof field['fieldName'] === 'string' && field['fieldType'] === 'text';

function storeInputs(input: Inputs): void {
  rename(input, 'store_scope', 'scope');
  choose(input, 'scope', SCOPES);
}

const NOT_ON_WEEKENDS_UNLESS_TOLD: readonly unknown[] = ['every_hour', 'every_day'];

function scheduleInputs(input: Inputs, triggerName: unknown, isPublic: boolean): void {
  rename(input, 'hour_of_the_day', 'hour');
  rename(input, 'day_of_the_week', 'dayOfWeek');
  rename(input, 'day_of_the_month', 'dayOfMonth');
  rename(input, 'run_on_weekends', 'runOnWeekends');
  if (isPublic && NOT_ON_WEEKENDS_UNLESS_TOLD.includes(triggerName)) input['runOnWeekends'] ??= false;
}

function rename(input: Inputs, from: string, to: string): void {
  if (!Object.hasOwn(input, from) || Object.hasOwn(input, to)) return;
  const value = input[from];
  delete input[from];
  if (value !== null && value !== undefined) input[to] = value;
}

function choose(input: Inputs, name: string, ours: Readonly<Record<string, string>>): void {
  const value = input[name];
  if (typeof value === 'string' && Object.hasOwn(ours, value)) input[name] = ours[value];
}

/** Removes an input whose value changes nothing here: null, '' or one of `saysNothing`. */
function drop(input: Inputs, name: string, saysNothing: readonly unknown[]): void {
  const value = input[name];
  if (value === null || value === '' || saysNothing.includes(value)) delete input[name];
}
