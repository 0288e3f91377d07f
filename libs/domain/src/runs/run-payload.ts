import { formMembers } from '../json/form-members';
import { storableJson, type JsonText } from '../json/json-text';

/** What a run was started with: the trigger's output, or a webhook, from which that output is made when it is read. */
export type RunPayload = JsonText | WebhookPayload;

export type WebhookBodyKind = 'none' | 'json' | 'form' | 'text';

/** A webhook as it came. The sender's body is here once: the trigger's `body` and `rawBody` are both made of it. */
export interface WebhookPayload {
  /** `{method, headers, queryParams}` */
  request: JsonText;
  bodyKind: WebhookBodyKind;
  /** UTF-8; valid JSON where the kind says so. */
  rawBody: Buffer;
}

/** A payload as it is kept, made where it holds nobody up: only its store reads it. */
export interface StoredPayload {
  stored: Buffer;
}

/** About as long as it is in memory. */
export const payloadLength = (payload: RunPayload): number =>
  typeof payload === 'string' ? payload.length : payload.request.length + payload.rawBody.length;

/** The trigger's whole output. */
export function payloadText(payload: RunPayload): JsonText {
  if (typeof payload === 'string') return payload;
  return `${payload.request.slice(0, -1)},"body":${webhookBody(payload)},"rawBody":${webhookRawBody(payload)}}`;
}

/** The output of a webhook trigger without its `rawBody`. */
export const textWithoutRawBody = (payload: WebhookPayload): JsonText =>
  `${payload.request.slice(0, -1)},"body":${webhookBody(payload)}}`;

export function webhookBody({ request, bodyKind, rawBody }: WebhookPayload): JsonText {
  const text = rawBody.toString();
  if (bodyKind === 'none') return '{}';
  if (bodyKind === 'json') return storableJson(text);
  return storableJson(JSON.stringify(bodyKind === 'form' ? formMembers(rawBody, contentTypeIn(request)) : text));
}

const contentTypeIn = (request: JsonText): string | undefined =>
  (JSON.parse(request) as { headers: { 'content-type'?: string } }).headers['content-type'];

export const webhookRawBody = ({ rawBody }: WebhookPayload): JsonText =>
  storableJson(JSON.stringify(rawBody.toString()));
