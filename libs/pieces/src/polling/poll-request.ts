import { isJsonObject, REDACTED, type OutboundAnswer } from '@millrace/domain';
import pLimit from 'p-limit';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { writtenNumber } from '../framework/coerce-value';
import type { PollContext } from '../framework/piece';
import type { InputOf } from '../framework/props';
import { textValues } from '../framework/text-values';
import { errorStatus } from '../http/error-status';
import { readBody } from '../http/received-body';
import { AUTH_INPUTS, authHeaders, authMembers } from '../http/request-auth';
import { joinHeaders } from '../http/request-parts';
import { requestProblems } from '../http/request-problems';

// The request that all triggers of this piece make.

const MOST_BYTES = 10 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;
/** More items than are remembered could not be told apart (see `MOST_KEYS`). */
export const MOST_ITEMS = 10_000;
/** Feeds are read a few at a time, so that large ones do not fill the memory together. */
const READ_AT_ONCE = 2;
/** A longer validator is not worth its place in the memory of the poll. */
const LONGEST_VALIDATOR = 1_000;
const LEAST_MINUTES = 1;
const MOST_MINUTES = 31 * 24 * 60;

export const REQUEST_PROPS = {
  url: { kind: 'text', displayName: 'URL', required: true },
  headers: { kind: 'object', displayName: 'Headers', required: false, defaultValue: {} },
  ...AUTH_INPUTS,
  authFields: {
    ...AUTH_INPUTS.authFields,
    description: "Secrets are never shown again. `{{connections['…']}}` reads a connection.",
  },
  everyMinutes: {
    kind: 'number',
    displayName: 'Minutes between two polls',
    description: 'At least 1. The default is a setting of the installation, 5 minutes unless it is changed.',
    required: false,
  },
} as const;

export type RequestInput = InputOf<typeof REQUEST_PROPS>;

/** What the triggers of this piece have in common besides their props. */
export const REQUEST_CHECKS = {
  members: ({ authType }: Readonly<Record<string, unknown>>) => authMembers(authType),
  warnings: ({ headers }: Readonly<Record<string, unknown>>) => headerWarnings(headers),
  plan: ({ everyMinutes }: Readonly<Record<string, unknown>>) => ({
    poll: { everyMinutes: writtenNumber(everyMinutes) ?? null },
  }),
};

/** The problems of the inputs that all triggers of this piece have. */
export const pollProblems = (input: Readonly<Record<string, unknown>>): string[] => [
  ...requestProblems(input),
  ...secretProblems(input['authFields']),
  ...intervalProblems(input['everyMinutes']),
];

function secretProblems(authFields: unknown): string[] {
  const values = isJsonObject(authFields) ? Object.values(authFields) : [authFields];
  return values.includes(REDACTED) ? ['A secret in authFields is not known in this flow: write it again.'] : [];
}

const MAY_BE_SECRET = /auth|cookie|key|token|secret|password|session/i;

function headerWarnings(headers: unknown): string[] {
  if (!isJsonObject(headers)) return [];
  const open = Object.keys(headers).filter(
    (name) => MAY_BE_SECRET.test(name) && !isMissing(headers[name]) && !holdsExpression(headers[name]),
  );
  return open.map(
    (name) =>
      `Everybody who may read the flow can read the header ${name}. Use the authentication, or {{connections['…']}}.`,
  );
}

const INTERVAL = 'The input "Minutes between two polls" (everyMinutes)';

function intervalProblems(everyMinutes: unknown): string[] {
  if (isMissing(everyMinutes)) return [];
  if (holdsExpression(everyMinutes)) return [`${INTERVAL} cannot be an expression.`];
  const minutes = writtenNumber(everyMinutes);
  if (minutes === undefined || (minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES)) return [];
  return [`${INTERVAL} must be from ${LEAST_MINUTES} to ${MOST_MINUTES}.`];
}

/**
 * The answer of the server; null when it says that nothing has changed since the last answer that was remembered.
 * Rejects with ActionFailure for a status that is no success.
 */
export async function askForChange({
  input,
  http,
  store,
}: Pick<PollContext<RequestInput>, 'input' | 'http' | 'store'>): Promise<OutboundAnswer | null> {
  const conditions = textValues({ 'if-none-match': store.get('etag'), 'if-modified-since': store.get('lastModified') });
  const auth = authHeaders(input.authType, input.authFields);
  const answer = await http.send({
    method: 'GET',
    url: input.url,
    headers: joinHeaders(conditions, textValues(input.headers), auth),
    timeoutMs: TIME_LIMIT_MS,
    maxAnswerBytes: MOST_BYTES,
  });
  if (answer.status === 304 && Object.keys(conditions).length > 0) return null;
  if (answer.status < 200 || answer.status >= 300) throw errorStatus(answer, readBody(answer));
  return answer;
}

/** Remembers by what the next request asks whether something has changed. Only a whole answer is remembered. */
export function rememberAnswer({ headers }: OutboundAnswer, store: PollContext<unknown>['store']): void {
  for (const [key, value] of [['etag', headers['etag']] as const, ['lastModified', headers['last-modified']] as const])
    if (value !== undefined && value.length <= LONGEST_VALIDATOR) store.put(key, value);
    else store.delete(key);
}

/** Reads an answer when it is its turn. */
export const readInTurn = pLimit(READ_AT_ONCE);
