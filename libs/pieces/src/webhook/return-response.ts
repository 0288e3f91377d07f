import type { RunResponse } from '@millrace/domain';
import { memberProblems } from '../coerce-input';
import { ActionFailure, defineAction } from '../piece';
import { choicesOf, type InputOf, type Props } from '../props';
import { jsonTextOf, textValues } from '../text-values';

const FIELDS = {
  status: { kind: 'number', displayName: 'Status', required: false },
  headers: { kind: 'object', displayName: 'Headers', required: false, defaultValue: {} },
  body: { kind: 'any', displayName: 'Body', description: 'Of a redirect: where to.', required: false },
} as const satisfies Props;

type Fields = InputOf<typeof FIELDS>;

/** Answers whoever waits for the run. The output of the step is the response. */
export const returnResponse = defineAction({
  displayName: 'Return Response',
  description: 'Answers the request that started the run, when its sender waits for it.',
  isPure: true,
  props: {
    responseType: {
      kind: 'dropdown',
      displayName: 'Response type',
      required: false,
      defaultValue: 'json',
      options: choicesOf('json', 'raw', 'redirect'),
    },
    fields: { kind: 'dynamic', displayName: 'Response', required: false, props: () => FIELDS },
    respond: {
      kind: 'dropdown',
      displayName: 'After the response',
      required: false,
      defaultValue: 'stop',
      options: [
        { label: 'End the run', value: 'stop' },
        { label: 'Go on', value: 'respond' },
      ],
    },
  },
  problems: ({ fields }) => memberProblems(FIELDS, fields),
  run: async ({ input, respond, stop }) => {
    const response = RESPONSES[input.responseType](input.fields);
    if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599)
      throw new ActionFailure('The status of a response must be a whole number from 200 to 599.');
    respond(response);
    if (input.respond === 'stop') stop({ status: 'SUCCEEDED' });
    return response;
  },
});

const RESPONSES: Readonly<Record<'json' | 'raw' | 'redirect', (fields: Fields) => RunResponse>> = {
  json: ({ status = 200, headers, body = null }) => ({
    status,
    headers: withHeader(headers, 'content-type', 'application/json'),
    body: typeof body === 'string' ? jsonTextOf(body) : body,
  }),
  raw: ({ status = 200, headers, body = '' }) => ({
    status,
    headers:
      typeof body === 'string' ? withHeader(headers, 'content-type', 'text/plain; charset=utf-8') : textValues(headers),
    body,
  }),
  redirect: ({ status = 302, headers, body }) => {
    const target =
      typeof body === 'string' && body !== '' ? withHeader(headers, 'location', body) : textValues(headers);
    if (!hasHeader(target, 'location')) throw new ActionFailure('The redirect does not say where to.');
    return { status, headers: target, body: null };
  },
};

const hasHeader = (headers: object, name: string): boolean =>
  Object.keys(headers).some((given) => given.toLowerCase() === name);

/** The header is added unless the author gave it. */
function withHeader(headers: Fields['headers'], name: string, value: string): Record<string, string> {
  return hasHeader(headers, name) ? textValues(headers) : { ...textValues(headers), [name]: value };
}
