import {
  assertReadableForm,
  jsonDepth,
  xmlValue,
  type Acceptance,
  type RunPayload,
  type StoredPayload,
  type WebhookPayload,
} from '@millrace/domain';
import { MAX_WEBHOOK_JSON_DEPTH, notJson, textOfBody, tooDeep, type TextBodyKind } from '../bodies/body-check';

/** An inbound request with the sender's bytes. */
export interface InboundRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  queryParams: unknown;
  rawBody: Buffer;
}

/** How a body is read: its text is stored, or it is a form that may hold files, or it is one file. */
export type BodyKind = TextBodyKind | 'multipart' | 'file';

/** Accepts a run with this payload, or does for the webhook whatever else the caller wants. */
export type AcceptPayload = (payload: RunPayload | StoredPayload) => Promise<Acceptance>;

/**
 * Returns the payload of the run. Throws InvalidRequestError for malformed or too deep JSON or XML and for a body with
 * too many members, and UnsupportedMediaTypeError for an unknown charset.
 */
export function webhookPayload(request: InboundRequest, bodyKind: TextBodyKind): WebhookPayload {
  const type = contentType(request);
  const rawBody = textOfBody({ rawBody: request.rawBody, contentType: type, bodyKind });
  if (bodyKind === 'json') assertJson(rawBody);
  if (bodyKind === 'form') assertReadableForm(rawBody, type);
  if (bodyKind === 'xml') xmlValue(rawBody.toString());
  return { request: requestText(request), bodyKind, rawBody };
}

export const requestText = ({ method, headers, queryParams }: InboundRequest): string =>
  JSON.stringify({ method, headers, queryParams });

export const contentType = ({ headers }: InboundRequest): string => {
  const header = headers['content-type'];
  return typeof header === 'string' ? header : '';
};

export function bodyKindOf(request: InboundRequest): BodyKind {
  if (request.rawBody.length === 0) return 'none';
  const type = (contentType(request).split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml')) return 'xml';
  if (type === '' || type.startsWith('text/')) return 'text';
  return type === 'multipart/form-data' ? 'multipart' : 'file';
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
