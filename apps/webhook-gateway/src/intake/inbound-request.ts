import type { FastifyRequest } from 'fastify';
import type { InboundRequest } from './webhook-payload';

const NO_BODY = Buffer.alloc(0);

export const inboundRequest = (request: FastifyRequest<{ Body?: Buffer }>): InboundRequest => ({
  method: request.method,
  headers: request.headers,
  queryParams: request.query,
  rawBody: request.body ?? NO_BODY,
});
