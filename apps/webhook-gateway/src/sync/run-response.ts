import { validateHeaderName, validateHeaderValue } from 'node:http';
import { FlowRunFailedError, RunAnswerTimeoutError, type RunAnswer, type RunResponse } from '@millrace/domain';

/** What goes over the wire. Undefined: no body. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

// What a flow responds comes from the origin of the service, where the console and the queue's dashboard are too. So a
// browser must not take it for ours: it gets an origin of its own, and may set nothing for this one.
const SANDBOX = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/** Those that are between us and the sender, or speak for our origin, whatever the flow says. */
const NOT_THE_FLOWS = new Set([
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'public-key-pins',
  'proxy-authenticate',
  'proxy-connection',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
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
  const sent = inSandbox(Object.entries(headers).filter(([name, value]) => canBeSent(name, value)));
  if (WITHOUT_BODY.has(status)) return { status, headers: sent, body: undefined };
  if (typeof body === 'string') return { status, headers: sent, body };
  if (status >= 300 && status < 400 && body === null) return { status, headers: sent, body: '' };
  const hasType = Object.keys(sent).some((name) => name.toLowerCase() === 'content-type');
  const typed = hasType ? sent : { ...sent, 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: typed, body: JSON.stringify(body ?? null) };
}

/** A policy of the flow's own holds as well. */
function inSandbox(headers: readonly [name: string, value: string][]): Record<string, string> {
  const isPolicy = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'content-security-policy';
  const policies = [...headers.filter(isPolicy).map(([, value]) => value), SANDBOX];
  const others = headers.filter((header) => !isPolicy(header));
  return { ...Object.fromEntries(others), 'content-security-policy': policies.join(', ') };
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
