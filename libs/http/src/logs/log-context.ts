import { AsyncLocalStorage } from 'node:async_hooks';

// The ids that lines of the log have without their writers naming them.
//
// L1. They are looked up when a line is written, so a request or a run without a line costs nothing but, in an app that
//     wants it, the context of a request. Apps on the way of a webhook do not want it.
// L2. A line has the id of a request only until the answer is sent: what the request has opened for others, such as a
//     connection, lives on and writes lines of its own.

/** How many traces are remembered; a run that writes a line much later than its span began has its `runId` alone. */
const MOST_TRACES = 1_000;

const requests = new AsyncLocalStorage<{ requestId: string | undefined }>();
const traces = new Map<string, string>();

/** Calls `work`. Lines that it writes before `end` is called have the id of the request. */
export function withinRequest(requestId: string, work: (end: () => void) => void): void {
  const context: { requestId: string | undefined } = { requestId };
  requests.run(context, () => work(() => (context.requestId = undefined)));
}

/** Lines about this run have the id of this trace from now on. */
export function noteTrace(runId: string, traceId: string): void {
  traces.delete(runId);
  traces.set(runId, traceId);
  if (traces.size > MOST_TRACES) traces.delete(traces.keys().next().value as string);
}

/** What a line with these fields says of the request and the trace that it belongs to. */
export function idsAround(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const requestId = requests.getStore()?.requestId;
  const { runId } = fields;
  const traceId = typeof runId === 'string' ? traces.get(runId) : undefined;
  return { ...(requestId !== undefined && { requestId }), ...(traceId !== undefined && { traceId }) };
}
