/**
 * What the answer to a webhook tells its sender.
 *
 * - `acknowledged`: a run was accepted. The header `x-webhook-id` names it, whatever the status is.
 * - `refused`: no run was accepted. The sender may send the webhook again.
 * - `unknown`: the run may exist. The sender may repeat the webhook with the same idempotency key.
 */

/** These errors come before a connection is open, so the request cannot have reached anybody. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/** @param {{ status: number, runId?: string, text: string }} answer */
export function outcomeOfAnswer({ status, runId, text }) {
  if (runId) return { outcome: 'acknowledged', runId, why: String(status) };
  const possible = possibleRunOf(text);
  if (possible) return { outcome: 'unknown', why: `${status} with a run whose commit is not known` };
  const isRefusal = status === 429 || status === 503 || (status >= 400 && status < 500);
  return { outcome: isRefusal ? 'refused' : 'unknown', why: String(status) };
}

/** @param {{ code?: string, message: string }} error */
export function outcomeOfError({ code, message }) {
  return { outcome: NEVER_CONNECTED.has(code ?? '') ? 'refused' : 'unknown', why: code ?? message };
}

function possibleRunOf(text) {
  try {
    return JSON.parse(text).params?.flowRunId;
  } catch {
    return undefined; // the answer is not an error of ours
  }
}

/**
 * The outcome of a webhook after several tries with one key: it is acknowledged by any acknowledgement, and unknown when
 * any try was.
 */
export function outcomeOfTries(outcomes) {
  return ['acknowledged', 'unknown'].find((each) => outcomes.includes(each)) ?? 'refused';
}
