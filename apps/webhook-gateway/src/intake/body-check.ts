import { assertReadableForm, InvalidRequestError, jsonProblem, utf8Of, type WebhookBodyKind } from '@millrace/domain';

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/** A body that is to become text, and JSON or a form where its type says so. */
export interface BodyToCheck {
  rawBody: Buffer;
  contentType: string;
  bodyKind: WebhookBodyKind;
}

/** The body as UTF-8. Throws InvalidRequestError for malformed JSON and for a form of too many members, and UnsupportedMediaTypeError. */
export function checkedBody({ rawBody, contentType, bodyKind }: BodyToCheck): Buffer {
  const text = utf8Of(rawBody, contentType);
  if (bodyKind === 'form') assertReadableForm(text, contentType);
  const problem = bodyKind === 'json' ? jsonProblem(text, MAX_WEBHOOK_JSON_DEPTH) : null;
  if (problem?.kind === 'tooDeep') throw tooDeep();
  if (problem) throw malformed(`it stops being JSON at byte ${problem.at}.`);
  return text;
}

/** What goes to another thread takes all of its memory along. */
export const withBytesOfItsOwn = (bytes: Buffer): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

export const malformed = (why: string): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body is not valid JSON: ${why}` }]);

export const tooDeep = (): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body nests deeper than ${MAX_WEBHOOK_JSON_DEPTH} levels.` }]);
