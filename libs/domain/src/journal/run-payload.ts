import { shownText, type StoredText } from '../connections/value-references';
import { formMembers } from '../json/form-members';
import { storableJson, type JsonText } from '../json/json-text';
import { namesCredentials, redactHeaders } from './redact-headers';
import { xmlValue } from '../xml/xml-value';

/** The payload of a run: the output of its trigger, or a webhook from which this output is made when it is read. */
export type RunPayload = StoredText | WebhookPayload;

export const isWebhook = (payload: RunPayload): payload is WebhookPayload =>
  typeof payload !== 'string' && 'rawBody' in payload;

/** The body of a webhook of the kind `files` is JSON that names the files which the sender's body held. */
export type WebhookBodyKind = 'none' | 'json' | 'form' | 'text' | 'xml' | 'files';

/** A webhook as it came. It stores the sender's body once; the trigger's `body` and `rawBody` are both made from it. */
export interface WebhookPayload {
  /** The JSON text of `{method, headers, queryParams}`. */
  request: JsonText;
  bodyKind: WebhookBodyKind;
  /**
   * The body in UTF-8. It is valid JSON when the kind is `json`. When the kind is `files`, it is the trigger's `body` as
   * JSON, and the trigger's `rawBody` is empty, because the sender's bytes are in the files.
   */
  rawBody: Buffer;
}

/** A payload in its stored form, which only its store can read. It is made where this delays no other request. */
export interface StoredPayload {
  stored: Buffer;
}

/** The approximate size of the payload in memory, in bytes. */
export const payloadLength = (payload: RunPayload): number =>
  isWebhook(payload) ? payload.request.length + payload.rawBody.length : shownText(payload).length;

/** The whole output of the trigger, as readers see it. */
export function payloadText(payload: RunPayload): JsonText {
  if (!isWebhook(payload)) return shownText(payload);
  return `${shownRequest(payload).slice(0, -1)},"body":${webhookBody(payload)},"rawBody":${webhookRawBody(payload)}}`;
}

/**
 * The JSON text of `{method, headers, queryParams}`, as readers and steps see it. A request to a trigger that checks its
 * senders itself is stored with its credentials until the trigger has seen it. Any other is stored without them.
 */
export function shownRequest({ request }: WebhookPayload): JsonText {
  if (!namesCredentials(request)) return request;
  const read = JSON.parse(request) as { headers: Readonly<Record<string, string>> };
  return JSON.stringify({ ...read, headers: redactHeaders(read.headers) });
}

/** The output of a webhook trigger without its `rawBody`. */
export const textWithoutRawBody = (payload: WebhookPayload): JsonText =>
  `${shownRequest(payload).slice(0, -1)},"body":${webhookBody(payload)}}`;

export function webhookBody({ request, bodyKind, rawBody }: WebhookPayload): JsonText {
  switch (bodyKind) {
    case 'none':
      return '{}';
    case 'json':
    case 'files':
      return storableJson(rawBody.toString());
    case 'form':
      return storableJson(JSON.stringify(formMembers(rawBody, contentTypeIn(request))));
    case 'xml':
      return storableJson(JSON.stringify(xmlValue(rawBody.toString())));
    case 'text':
      return storableJson(JSON.stringify(rawBody.toString()));
  }
}

const contentTypeIn = (request: JsonText): string | undefined =>
  (JSON.parse(request) as { headers: { 'content-type'?: string } }).headers['content-type'];

export const webhookRawBody = ({ bodyKind, rawBody }: WebhookPayload): JsonText =>
  bodyKind === 'files' ? '""' : storableJson(JSON.stringify(rawBody.toString()));
