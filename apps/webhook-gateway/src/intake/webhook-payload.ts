import {
  assertReadableForm,
  jsonDepth,
  UnsupportedMediaTypeError,
  utf8Of,
  type WebhookBodyKind,
  type WebhookPayload,
} from '@millrace/domain';
import { MAX_WEBHOOK_JSON_DEPTH, notJson, tooDeep } from './body-check';

/** An inbound request with the sender's bytes. */
export interface InboundRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  queryParams: unknown;
  rawBody: Buffer;
}

/**
 * Returns the payload of the run. Throws InvalidRequestError for malformed or too deep JSON and for a form with too
 * many members, and UnsupportedMediaTypeError for an unknown content type or charset.
 */
export function webhookPayload(request: InboundRequest): WebhookPayload {
  const bodyKind = bodyKindOf(request);
  const rawBody = utf8Of(request.rawBody, contentType(request));
  if (bodyKind === 'json') assertJson(rawBody);
  if (bodyKind === 'form') assertReadableForm(rawBody, contentType(request));
  return { request: requestText(request), bodyKind, rawBody };
}

export const requestText = ({ method, headers, queryParams }: InboundRequest): string =>
  JSON.stringify({ method, headers, queryParams });

export const contentType = ({ headers }: InboundRequest): string => {
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

function assertJson(rawBody: Buffer): void {
  const text = rawBody.toString();
  if (jsonDepth(text) > MAX_WEBHOOK_JSON_DEPTH) throw tooDeep();
  try {
    JSON.parse(text);
  } catch {
    throw notJson(rawBody);
  }
}
