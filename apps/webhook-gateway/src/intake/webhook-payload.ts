import { parse as parseForm } from 'node:querystring';
import {
  InvalidRequestError,
  jsonDepth,
  storableJson,
  UnsupportedMediaTypeError,
  type JsonText,
} from '@millrace/domain';

/** An inbound request, as it came. */
export interface InboundRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  queryParams: unknown;
  rawBody: Buffer;
}

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/**
 * What the trigger of the flow will see: `{method, headers, body, queryParams, rawBody}` as JSON text.
 * A JSON body goes in as the sender wrote it, unparsed and unprinted. Throws InvalidRequestError for malformed JSON.
 */
export function webhookPayload(request: InboundRequest): JsonText {
  const raw = request.rawBody.toString('utf8');
  const text =
    `{"method":${JSON.stringify(request.method)},"headers":${JSON.stringify(request.headers)},` +
    `"body":${bodyText(contentType(request), raw)},"queryParams":${JSON.stringify(request.queryParams)},` +
    `"rawBody":${JSON.stringify(raw)}}`;
  return storableJson(text);
}

function contentType(request: InboundRequest): string {
  const header = request.headers['content-type'];
  return typeof header === 'string' ? (header.split(';', 1)[0] ?? '').trim().toLowerCase() : '';
}

function bodyText(type: string, raw: string): JsonText {
  if (raw === '') return '{}';
  if (type === 'application/json' || type.endsWith('+json')) return checkedJson(raw);
  if (type === 'application/x-www-form-urlencoded') return JSON.stringify(parseForm(raw));
  if (type === '' || type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml'))
    return JSON.stringify(raw);
  throw new UnsupportedMediaTypeError(type);
}

function checkedJson(raw: string): JsonText {
  if (jsonDepth(raw) > MAX_WEBHOOK_JSON_DEPTH)
    throw new InvalidRequestError([
      { path: '', message: `The body nests deeper than ${MAX_WEBHOOK_JSON_DEPTH} levels.` },
    ]);
  try {
    JSON.parse(raw);
  } catch (error) {
    throw new InvalidRequestError([{ path: '', message: `The body is not valid JSON: ${(error as Error).message}` }]);
  }
  return raw;
}
