import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { RunResponse } from '@millrace/domain';
import { writtenNumber } from '../framework/coerce-value';
import { ActionFailure, type OutputDescription } from '../framework/piece';
import { choicesOf, type Prop, type Props } from '../framework/props';
import { jsonTextOf, textValues } from '../framework/text-values';

export const RESPONSE_TYPE = {
  kind: 'dropdown',
  displayName: 'Response type',
  required: false,
  defaultValue: 'json',
  options: choicesOf('json', 'raw', 'redirect'),
} as const satisfies Prop;

export const RESPONSE_FIELDS = {
  status: { kind: 'number', displayName: 'Status', required: false },
  headers: {
    kind: 'object',
    displayName: 'Headers',
    description: '`set-cookie` is not sent, nor are headers that belong to the connection, such as `content-length`.',
    required: false,
  },
  body: { kind: 'any', displayName: 'Body', description: 'The body of a redirect is its target.', required: false },
} as const satisfies Props;

export const RESPONSE_OUTPUT = {
  status: 'The status of the response.',
  headers: 'The headers of the response.',
  body: 'The body of the response.',
} as const satisfies OutputDescription;

export interface ResponseFields {
  status?: number;
  headers?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

const WRONG_STATUS = 'The status of a response must be a whole number from 200 to 599.';

const isResponseStatus = (status: number): boolean => Number.isInteger(status) && status >= 200 && status <= 599;

/** The problems of a status as the author wrote it. */
export function statusProblems(written: unknown): string[] {
  const status = writtenNumber(written);
  return status === undefined || isResponseStatus(status) ? [] : [WRONG_STATUS];
}

type ResponseType = 'json' | 'raw' | 'redirect';

/** Makes the response. Throws ActionFailure when HTTP cannot carry it. */
export function responseOf(type: ResponseType, fields: ResponseFields): RunResponse {
  const response = RESPONSES[type](fields);
  if (!isResponseStatus(response.status)) throw new ActionFailure(WRONG_STATUS);
  return { ...response, headers: sendableHeaders(response.headers) };
}

const RESPONSES: Readonly<Record<ResponseType, (fields: ResponseFields) => RunResponse>> = {
  json: ({ status = 200, headers = {}, body = null }) => ({
    status,
    headers: withHeader(headers, 'content-type', 'application/json'),
    body: typeof body === 'string' ? jsonTextOf(body) : body,
  }),
  raw: ({ status = 200, headers = {}, body = '' }) => ({
    status,
    headers:
      typeof body === 'string' ? withHeader(headers, 'content-type', 'text/plain; charset=utf-8') : textValues(headers),
    body,
  }),
  redirect: ({ status = 302, headers = {}, body }) => {
    const target =
      typeof body === 'string' && body !== '' ? withHeader(headers, 'location', body) : textValues(headers);
    if (!hasHeader(target, 'location'))
      throw new ActionFailure('The redirect has no target: its body must be an address.');
    return { status, headers: target, body: null };
  },
};

/** Encodes the address of a redirect. Throws ActionFailure for any other header that HTTP cannot carry. */
function sendableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const sent = name.toLowerCase() === 'location' ? asciiAddress(value) : value;
      assertHttpCarries(name, sent);
      return [name, sent];
    }),
  );
}

function assertHttpCarries(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new ActionFailure(
      `The header ${JSON.stringify(name)} of the response has characters that HTTP headers cannot carry.`,
    );
  }
}

const BEYOND_ASCII = /[^\p{ASCII}]+/gu;

/** Writes an address in ASCII: its host by the rules of domain names, the rest with percent escapes. */
function asciiAddress(address: string): string {
  const text = Buffer.from(address).toString(); // without lone surrogates
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  return URL.canParse(text) ? new URL(text).href : text.replace(BEYOND_ASCII, encodeURIComponent);
}

const hasHeader = (headers: object, name: string): boolean =>
  Object.keys(headers).some((given) => given.toLowerCase() === name);

/** Adds a header unless the author gave it. */
function withHeader(headers: Readonly<Record<string, unknown>>, name: string, value: string): Record<string, string> {
  return hasHeader(headers, name) ? textValues(headers) : { ...textValues(headers), [name]: value };
}
