import {
  assertReadableForm,
  InvalidRequestError,
  jsonProblem,
  redactHeaders,
  triggerPayload,
  utf8Of,
  type TriggerPayload,
  type WebhookPayload,
} from '@millrace/domain';

const MOST_DEPTH = 128;

/** A request at the URL of an app, as it arrived. */
export interface ArrivedEvent {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  queryParams: Readonly<Record<string, unknown>>;
  rawBody: Buffer;
}

/**
 * Returns the request as the package gets it, and as it is stored for the runs, without signatures. Throws
 * InvalidRequestError for a malformed body, and UnsupportedMediaTypeError for an unknown charset.
 */
export function eventPayload({ method, headers, queryParams, rawBody }: ArrivedEvent): {
  asked: TriggerPayload;
  stored: WebhookPayload;
} {
  const type = String(headers['content-type'] ?? '');
  const bodyKind = rawBody.length === 0 ? 'none' : kindOf(type);
  const text = utf8Of(rawBody, type);
  if (bodyKind === 'form') assertReadableForm(text, type);
  const problem = bodyKind === 'json' ? jsonProblem(text, MOST_DEPTH) : null;
  if (problem) throw new InvalidRequestError([{ path: '', message: wordsOf(problem.kind) }]);
  const requestWith = (shown: ArrivedEvent['headers']) =>
    JSON.stringify({ method, headers: joined(shown), queryParams });
  return {
    asked: triggerPayload({ request: requestWith(headers), bodyKind, rawBody: text }),
    stored: { request: requestWith(redactHeaders(headers)), bodyKind, rawBody: text },
  };
}

function kindOf(contentType: string): 'json' | 'form' | 'text' {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}

const wordsOf = (problem: string): string =>
  problem === 'tooDeep' ? `nests deeper than ${MOST_DEPTH} levels.` : 'is not valid JSON.';

const joined = (headers: ArrivedEvent['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
