import type { OutboundRequest } from '@millrace/domain';
import { writtenNumber } from '../framework/coerce-value';
import { ActionFailure, defineAction } from '../framework/piece';
import { choicesOf } from '../framework/props';
import { textValues } from '../framework/text-values';
import { errorStatus } from './error-status';
import { readBody } from './received-body';
import { AUTH_INPUTS, authHeaders, authMembers } from './request-auth';
import { requestProblems } from './request-problems';
import { bodyToSend, joinHeaders, urlWith } from './request-parts';

const MAX_TIMEOUT_SECONDS = 600;
const WRONG_TIME_LIMIT = `The time limit must be more than 0 and at most ${MAX_TIMEOUT_SECONDS} seconds.`;

const isTimeLimit = (seconds: number): boolean => seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS;

/** The output is `{status, headers, body}`. received-body.ts says how `body` is shown. */
export const sendRequest = defineAction({
  displayName: 'Send HTTP Request',
  description: 'Sends a request and outputs the answer.',
  output: {
    status: 'The status of the answer.',
    headers: 'The headers of the answer by name, in lower case.',
    body: 'The body of the answer: the value of JSON, text, base64, or null for an empty body.',
    bodyIsBase64: '`true` when the body is neither JSON nor text; absent otherwise.',
  },
  props: {
    method: {
      kind: 'dropdown',
      displayName: 'Method',
      required: true,
      options: choicesOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    },
    url: { kind: 'text', displayName: 'URL', required: true },
    headers: { kind: 'object', displayName: 'Headers', required: false, defaultValue: {} },
    queryParams: { kind: 'object', displayName: 'Query parameters', required: false, defaultValue: {} },
    bodyType: {
      kind: 'dropdown',
      displayName: 'Body type',
      description: 'JSON when there is a body and nothing is chosen.',
      required: false,
      options: choicesOf('none', 'json', 'form', 'raw'),
    },
    body: { kind: 'any', displayName: 'Body', required: false },
    ...AUTH_INPUTS,
    timeoutSeconds: { kind: 'number', displayName: 'Time limit in seconds', required: false, defaultValue: 30 },
    followRedirects: { kind: 'checkbox', displayName: 'Follow redirects', required: false, defaultValue: true },
    failOnErrorStatus: {
      kind: 'checkbox',
      displayName: 'Fail on an error status',
      description: 'The step fails when the server answers with a status of 400 or more.',
      required: false,
      defaultValue: true,
    },
  },
  members: ({ authType }) => authMembers(authType),
  problems: (input) => [
    ...requestProblems(input),
    ...(isTimeLimit(writtenNumber(input['timeoutSeconds']) ?? MAX_TIMEOUT_SECONDS) ? [] : [WRONG_TIME_LIMIT]),
  ],
  run: async ({ input, http }) => {
    const { timeoutSeconds } = input;
    if (!isTimeLimit(timeoutSeconds)) throw new ActionFailure(WRONG_TIME_LIMIT);

    const sent = bodyToSend(input.bodyType, input.body);
    const request: OutboundRequest = {
      method: input.method,
      url: urlWith(input.url, input.queryParams),
      headers: joinHeaders(
        sent ? { 'content-type': sent.contentType } : {},
        textValues(input.headers),
        authHeaders(input.authType, input.authFields),
      ),
      ...(sent && { body: sent.body }),
      timeoutMs: timeoutSeconds * 1_000,
      followRedirects: input.followRedirects,
    };
    const answer = await http.send(request);

    const received = readBody(answer);
    if (input.failOnErrorStatus && answer.status >= 400) throw errorStatus(answer, received);
    return { status: answer.status, headers: answer.headers, ...received };
  },
});
