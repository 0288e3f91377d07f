import { InvalidRequestError, jsonProblem, utf8Of } from '@millrace/domain';

export const MAX_WEBHOOK_JSON_DEPTH = 128;

/** A body that is to become text, and JSON where its type says so. */
export interface BodyToCheck {
  rawBody: Buffer;
  contentType: string;
  isJson: boolean;
}

/** The body as UTF-8. Throws InvalidRequestError for malformed JSON, and UnsupportedMediaTypeError. */
export function checkedBody({ rawBody, contentType, isJson }: BodyToCheck): Buffer {
  const text = utf8Of(rawBody, contentType);
  const problem = isJson ? jsonProblem(text, MAX_WEBHOOK_JSON_DEPTH) : null;
  if (problem?.kind === 'tooDeep') throw tooDeep();
  if (problem) throw malformed(`it stops being JSON at byte ${problem.at}.`);
  return text;
}

export const malformed = (why: string): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body is not valid JSON: ${why}` }]);

export const tooDeep = (): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body nests deeper than ${MAX_WEBHOOK_JSON_DEPTH} levels.` }]);
