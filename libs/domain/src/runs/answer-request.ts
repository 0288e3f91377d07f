import { isJsonObject, JsonReader, RequestProblems, type JsonObject, type RequestProblem } from '../json/json-reader';
import type { FormField, HumanRequest } from '../journal/step-wait';

// Checks an answer to a request and makes the output of the waiting step from it.
//
// A plain page sends texts. Therefore the text of a number counts as a number, 'true' and 'false' count as booleans,
// and '' counts as absent.

/** The HTTP request that came to the link of a request. */
export interface GivenAnswer {
  /** The JSON value, or the members of the form. */
  body: unknown;
  query: JsonObject;
  headers: JsonObject;
}

export type RequestAnswer = { answer: unknown } | { problems: readonly RequestProblem[] };

/** The output of the waiting step, or the problems of the answer. */
export function answerOf(request: HumanRequest, given: GivenAnswer): RequestAnswer {
  const problems = new RequestProblems();
  const answer = read(request, given, problems);
  return problems.found.length > 0 ? { problems: problems.found } : { answer };
}

function read(request: HumanRequest, given: GivenAnswer, problems: RequestProblems): unknown {
  if (request.kind === 'webhook') return { body: given.body ?? null, headers: given.headers, queryParams: given.query };
  const body = isEmpty(given.body) ? {} : given.body;
  if (!isJsonObject(body)) {
    problems.add('', 'must be an object.');
    return null;
  }
  const reader = new JsonReader(body, '', problems);
  const answer = request.kind === 'approval' ? approvalIn(reader, given.query) : formIn(request.fields, reader);
  reader.refuseOthers();
  return answer;
}

function approvalIn(reader: JsonReader, query: JsonObject): { approved: boolean; comment?: string } {
  const decisions = new Set<boolean>();
  const decide = (member: string, value: unknown, meanings: ReadonlyMap<unknown, boolean>): void => {
    if (isEmpty(value)) return;
    const decision = meanings.get(value);
    if (decision === undefined) reader.wrong(member, `must be one of ${[...meanings.keys()].join(', ')}.`);
    else decisions.add(decision);
  };
  decide('approved', BOOLEANS.get(reader.any('approved')) ?? reader.any('approved'), APPROVED);
  decide('action', reader.any('action'), BODY_ACTIONS);
  decide('action', query['action'], QUERY_ACTIONS);
  if (decisions.size === 0 && reader.problems.found.length === 0) reader.wrong('approved', 'is required.');
  if (decisions.size > 1) reader.wrong('approved', 'contradicts the action.');
  const comment = isEmpty(reader.any('comment')) ? '' : reader.text('comment', '');
  return { approved: decisions.has(true), ...(comment !== '' && { comment }) };
}

const APPROVED = new Map<unknown, boolean>([
  [true, true],
  [false, false],
]);
const BODY_ACTIONS = new Map<unknown, boolean>([
  ['APPROVE', true],
  ['REJECT', false],
]);
const QUERY_ACTIONS = new Map<unknown, boolean>([
  ['approve', true],
  ['disapprove', false],
]);

/** The answer to a form. A field that was left out is null. */
function formIn(fields: readonly FormField[], reader: JsonReader): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, fieldIn(field, reader)]));
}

function fieldIn(field: FormField, reader: JsonReader): unknown {
  const given = reader.any(field.name);
  if (isEmpty(given)) {
    if (field.required) reader.wrong(field.name, 'is required.');
    return null;
  }
  const value = VALUES[field.type](given, field);
  if (value !== undefined) return value;
  reader.wrong(field.name, `must be ${expectationOf(field)}.`);
  return null;
}

/** Reads a value by the type of its field. The result is undefined when the value does not have this type. */
const VALUES: Readonly<Record<FormField['type'], (given: unknown, field: FormField) => unknown>> = {
  text: (given) => (typeof given === 'string' ? given : undefined),
  number: numberIn,
  boolean: (given) => BOOLEANS.get(given) ?? (typeof given === 'boolean' ? given : undefined),
  date: (given) => (typeof given === 'string' && isDate(given) ? given : undefined),
  select: (given, { options = [] }) => options.find((option) => option === given),
};

const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

function numberIn(given: unknown): number | undefined {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return Number.isFinite(number) ? (number as number) : undefined;
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Whether a text is a date that exists. Date alone reads 30 February as a day in March. */
function isDate(text: string): boolean {
  const day = ISO_8601.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function expectationOf({ type, options = [] }: FormField): string {
  const expectations = { text: 'a string', number: 'a number', boolean: 'true or false', date: 'an ISO 8601 date' };
  return type === 'select' ? `one of ${options.join(', ')}` : expectations[type];
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';
