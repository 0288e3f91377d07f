import { OutboundFailure, type OutboundAnswer } from '@millrace/domain';
import type { Span, Tracing } from '../tracing/tracing';
import type { Hop } from './hop';

/**
 * Makes the call as a span below the active one, and tells the target of the trace, unless the caller does itself. The
 * span has the host of the target, whose path may be a secret. A call that belongs to no span is made as it is.
 */
export async function withinSpan(
  tracing: Tracing | undefined,
  hop: Hop,
  call: (hop: Hop) => Promise<OutboundAnswer>,
): Promise<OutboundAnswer> {
  const parent = tracing?.active();
  if (!tracing || !parent) return call(hop);
  const { method, url } = hop;
  const span = tracing.begin(method, {
    kind: 'client',
    parent,
    attributes: { 'http.request.method': method, 'server.address': url.hostname, ...portOf(url) },
  });
  try {
    const answer = await call(announcing(hop, span));
    span.set({ 'http.response.status_code': answer.status });
    if (answer.status >= 400) span.fail(String(answer.status));
    return answer;
  } catch (error) {
    span.fail(error instanceof OutboundFailure ? error.reason : 'error');
    throw error;
  } finally {
    span.end();
  }
}

const portOf = ({ port }: URL): { 'server.port'?: number } => (port === '' ? {} : { 'server.port': Number(port) });

const announcing = (hop: Hop, span: Span): Hop =>
  hop.headers.has('traceparent')
    ? hop
    : { ...hop, headers: new Map([...hop.headers, ...Object.entries(span.headers())]) };
