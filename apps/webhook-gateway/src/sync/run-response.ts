import { validateHeaderName, validateHeaderValue } from 'node:http';
import { FlowRunFailedError, RunAnswerTimeoutError, type RunAnswer, type RunResponse } from '@millrace/domain';

/** What goes over the wire. Undefined: no body. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

/** Those that are between us and the sender, whatever the flow says. */
const NOT_THE_FLOWS = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-webhook-id',
]);

const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The flow's own response; 204 when it succeeded without one. Throws FlowRunFailedError when it did not, and
 * RunAnswerTimeoutError for null: it has not answered yet, and goes on.
 */
export function httpAnswer(runId: string, answer: RunAnswer | null, waitedSeconds: number): HttpAnswer {
  if (answer === null) throw new RunAnswerTimeoutError(runId, waitedSeconds);
  if (answer.response) return ofResponse(answer.response);
  if (answer.status === 'SUCCEEDED') return { status: 204, headers: {}, body: undefined };
  throw new FlowRunFailedError(runId, answer.status);
}

function ofResponse({ status, headers, body }: RunResponse): HttpAnswer {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name, value]) => canBeSent(name, value)));
  if (WITHOUT_BODY.has(status)) return { status, headers: sent, body: undefined };
  if (typeof body === 'string') return { status, headers: sent, body };
  if (status >= 300 && status < 400 && body === null) return { status, headers: sent, body: '' };
  const hasType = Object.keys(sent).some((name) => name.toLowerCase() === 'content-type');
  const typed = hasType ? sent : { ...sent, 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: typed, body: JSON.stringify(body ?? null) };
}

/** A header that HTTP has no form for is left out: the rest of the answer is worth more than a failure. */
function canBeSent(name: string, value: string): boolean {
  if (NOT_THE_FLOWS.has(name.toLowerCase())) return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
