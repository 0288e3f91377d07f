import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  FlowRunFailedError,
  mayFlowSet,
  RESUME_URL_HEADER,
  RunAnswerTimeoutError,
  type RunAnswer,
  type RunResponse,
} from '@millrace/domain';

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Undefined for an answer without a body. */
  body: string | undefined;
}

// A flow's response comes from the origin of the service, like the console and the queue's dashboard. This policy gives
// the response an origin of its own in browsers, so that its scripts cannot act for the service.
const SANDBOX = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Returns the flow's response, or 204 for a run that succeeded without a response. Throws FlowRunFailedError for a run
 * that ended otherwise, and RunAnswerTimeoutError for null: the run has not answered yet and is still under way.
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

/** Adds the policy of the service to the policies of the flow. Browsers apply all of them. */
function inSandbox(headers: readonly [name: string, value: string][]): Record<string, string> {
  const isPolicy = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'content-security-policy';
  const policies = [...headers.filter(isPolicy).map(([, value]) => value), SANDBOX];
  const others = headers.filter((header) => !isPolicy(header));
  return { ...Object.fromEntries(others), 'content-security-policy': policies.join(', ') };
}

/** A header that HTTP cannot represent is left out, because the rest of the answer is worth more than a failure. */
function canBeSent(name: string, value: string): boolean {
  if (!mayFlowSet(name)) return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Lets the resume URL in the headers of a flow's answer begin with `origin`, at which the caller has reached this
 * service. The worker that made the URL knows only the address at which the service listens.
 */
export function withResumeUrlAt(origin: string, headers: HttpAnswer['headers']): HttpAnswer['headers'] {
  const made = headers[RESUME_URL_HEADER];
  if (made === undefined || !URL.canParse(made) || !URL.canParse(origin)) return headers;
  const { pathname } = new URL(made);
  return pathname.startsWith('/api/v1/flow-runs/')
    ? { ...headers, [RESUME_URL_HEADER]: new URL(origin).origin + pathname }
    : headers;
}
