import {
  InvalidRequestError,
  jsonDepth,
  UnsupportedMediaTypeError,
  type WebhookBodyKind,
  type WebhookPayload,
} from '@millrace/domain';
import { utf8Of } from '@millrace/http';

/** An inbound request, as it came. */
export interface InboundRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  queryParams: unknown;
  rawBody: Buffer;
}

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/** What the run is started with. Throws InvalidRequestError for malformed JSON, and UnsupportedMediaTypeError. */
export function webhookPayload(request: InboundRequest): WebhookPayload {
  const bodyKind = bodyKindOf(request);
  const rawBody = utf8Of(request.rawBody, contentType(request));
  if (bodyKind === 'json') assertJson(rawBody.toString());
  return { request: requestText(request), bodyKind, rawBody };
}

export const requestText = ({ method, headers, queryParams }: InboundRequest): string =>
  JSON.stringify({ method, headers, queryParams });

const contentType = ({ headers }: InboundRequest): string => {
  const header = headers['content-type'];
  return typeof header === 'string' ? header : '';
};

export function bodyKindOf(request: InboundRequest): WebhookBodyKind {
  if (request.rawBody.length === 0) return 'none';
  const type = (contentType(request).split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === '' || type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return 'text';
  throw new UnsupportedMediaTypeError(type);
}

function assertJson(text: string): void {
  if (jsonDepth(text) > MAX_WEBHOOK_JSON_DEPTH) throw tooDeep();
  try {
    JSON.parse(text);
  } catch (error) {
    throw new InvalidRequestError([{ path: '', message: `The body is not valid JSON: ${(error as Error).message}` }]);
  }
}

const tooDeep = (): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body nests deeper than ${MAX_WEBHOOK_JSON_DEPTH} levels.` }]);
