import { DomainError } from '@millrace/domain';
import { noteTrace, Tracing, type Span } from '@millrace/http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { HandshakeForPackage } from './inbound-request';
import type { InboundRequest } from './webhook-payload';
import type { Received } from '../answers/received';

/** Returns the request as it is stored with its run. */
export type Stamp = (request: InboundRequest) => InboundRequest;

const AS_IT_CAME: Stamp = (request) => request;

/**
 * Follows the acceptance of webhooks. A sender's `traceparent` is continued. The stored request gets the `traceparent` of
 * the acceptance, as from every station of a trace, so that the worker can continue from there after any crash.
 */
@Injectable()
export class WebhookSpans {
  constructor(@Optional() @Inject(Tracing) private readonly tracing: Tracing | null = null) {}

  /** Calls `accept` with the stamp for what it stores. */
  async follow<Outcome extends Received | HandshakeForPackage>(
    route: string,
    { method, headers }: InboundRequest,
    accept: (stamp: Stamp) => Promise<Outcome>,
  ): Promise<Outcome> {
    if (!this.tracing) return accept(AS_IT_CAME);
    const span = this.tracing.begin('accept webhook', {
      kind: 'server',
      parent: headers,
      attributes: { 'http.request.method': method, 'http.route': `/api/v1/webhooks/:flowId${route}` },
    });
    try {
      const received = await accept(stampOf(span));
      if ('runId' in received) {
        span.set({ 'millrace.run.id': received.runId, 'millrace.replayed': received.replayed });
        noteTrace(received.runId, span.traceId);
      }
      return received;
    } catch (error) {
      span.fail(error instanceof DomainError ? error.code : 'INTERNAL_ERROR');
      throw error;
    } finally {
      span.end();
    }
  }
}

const stampOf =
  (span: Span): Stamp =>
  (request) => ({ ...request, headers: { ...request.headers, ...span.headers() } });
