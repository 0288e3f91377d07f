import {
  assertReadableForm,
  InvalidRequestError,
  jsonProblem,
  utf8Of,
  xmlValue,
  type WebhookBodyKind,
} from '@millrace/domain';

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/** A body whose text is stored as it came. */
export type TextBodyKind = Exclude<WebhookBodyKind, 'files'>;

/** A body to check as text, and as JSON, a form or XML when its type is one of these. */
export interface BodyToCheck {
  rawBody: Buffer;
  contentType: string;
  bodyKind: TextBodyKind;
}

/**
 * Returns the body as UTF-8. Throws InvalidRequestError for malformed or too deep JSON or XML and for a body with too
 * many members, and UnsupportedMediaTypeError for an unknown charset.
 */
export function checkedBody(body: BodyToCheck): Buffer {
  const { bodyKind, contentType } = body;
  const text = textOfBody(body);
  if (bodyKind === 'form') assertReadableForm(text, contentType);
  if (bodyKind === 'xml') xmlValue(text.toString());
  const problem = bodyKind === 'json' ? jsonProblem(text, MAX_WEBHOOK_JSON_DEPTH) : null;
  if (problem?.kind === 'tooDeep') throw tooDeep();
  if (problem) throw malformed(problem.at);
  return text;
}

/** Returns the body as UTF-8, and checks nothing but its charset. */
export const textOfBody = ({ rawBody, contentType, bodyKind }: BodyToCheck): Buffer =>
  utf8Of(rawBody, bodyKind === 'xml' ? withDeclaredCharset(contentType, rawBody) : contentType);

const XML_ENCODING = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.-]{1,40})["']/;
const LONGEST_XML_DECLARATION = 200;

/** XML may declare its charset itself. What the content type says comes first. */
function withDeclaredCharset(contentType: string, rawBody: Buffer): string {
  if (/;\s*charset\s*=/i.test(contentType)) return contentType;
  const charset = XML_ENCODING.exec(rawBody.toString('latin1', 0, LONGEST_XML_DECLARATION))?.[1];
  return charset === undefined ? contentType : `${contentType}; charset=${charset}`;
}

/**
 * Returns bytes with a memory block of their own. Bytes that are moved to another thread take their whole block along.
 */
export const withBytesOfItsOwn = (bytes: Uint8Array): Uint8Array =>
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
