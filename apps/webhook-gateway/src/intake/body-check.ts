import { assertReadableForm, InvalidRequestError, jsonProblem, utf8Of, type WebhookBodyKind } from '@millrace/domain';

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/** A body to check as text, and as JSON or a form when its type is one of these. */
export interface BodyToCheck {
  rawBody: Buffer;
  contentType: string;
  bodyKind: WebhookBodyKind;
}

/**
 * Returns the body as UTF-8. Throws InvalidRequestError for malformed or too deep JSON and for a form with too many
 * members, and UnsupportedMediaTypeError for an unknown charset.
 */
export function checkedBody({ rawBody, contentType, bodyKind }: BodyToCheck): Buffer {
  const text = utf8Of(rawBody, contentType);
  if (bodyKind === 'form') assertReadableForm(text, contentType);
  const problem = bodyKind === 'json' ? jsonProblem(text, MAX_WEBHOOK_JSON_DEPTH) : null;
  if (problem?.kind === 'tooDeep') throw tooDeep();
  if (problem) throw malformed(problem.at);
  return text;
}

/**
 * Returns bytes with a memory block of their own. Bytes that are moved to another thread take their whole block along.
 */
export const withBytesOfItsOwn = (bytes: Buffer): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** The message says where the bytes stop being JSON, but not what they are, because they may be a secret. */
const malformed = (at: number): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `is not valid JSON: it stops being JSON at byte ${at}.` }]);

/** Returns the error for bytes that JSON.parse has refused. */
export function notJson(bytes: Buffer): InvalidRequestError {
  const problem = jsonProblem(bytes, MAX_WEBHOOK_JSON_DEPTH);
  return malformed(problem?.kind === 'malformed' ? problem.at : bytes.length);
}

export const tooDeep = (): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `nests deeper than ${MAX_WEBHOOK_JSON_DEPTH} levels.` }]);
