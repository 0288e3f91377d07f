import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Received } from '../answers/received';
import type { UncheckedRequest } from '../verification/webhook-verification';
import type { InboundRequest } from './webhook-payload';

/** An inbound request with all that its sender proves it with. */
export type ArrivedRequest = InboundRequest & UncheckedRequest;

/** A handshake that only the package of the trigger can answer: its sender has to wait, and nothing is stored yet. */
export type HandshakeForPackage = { isForPackage: true };

const NO_BODY = Buffer.alloc(0);

/**
 * Takes the body out of the request, so that a large body is freed when it is stored, even if the sender waits longer.
 */
export function inboundRequest(request: FastifyRequest<{ Body?: Buffer }>): ArrivedRequest {
  const rawBody = request.body ?? NO_BODY;
  request.body = undefined;
  return {
    method: request.method,
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
    queryParams: request.query,
    rawBody,
  };
}

/** Sets the headers of the answer to a webhook, and returns its body. */
export function answerReceived(reply: FastifyReply, received: Received): { id: string } | string {
  if ('challenge' in received) {
    void reply.headers(received.challenge.headers);
    return received.challenge.body;
  }
  const { runId, replayed } = received;
  void reply.header('x-webhook-id', runId);
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return { id: runId };
}
