import type { Acceptance } from '@millrace/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InboundRequest } from './webhook-payload';

const NO_BODY = Buffer.alloc(0);

/**
 * Takes the body out of the request, so that a large body is freed when it is stored, even if the sender waits longer.
 */
export function inboundRequest(request: FastifyRequest<{ Body?: Buffer }>): InboundRequest {
  const rawBody = request.body ?? NO_BODY;
  request.body = undefined;
  return { method: request.method, headers: request.headers, queryParams: request.query, rawBody };
}

/** Sets the headers of the answer to an accepted webhook, and returns its body. */
export function answerAccepted(reply: FastifyReply, { runId, replayed }: Acceptance): { id: string } {
  void reply.header('x-webhook-id', runId);
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return { id: runId };
}
