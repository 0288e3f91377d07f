import { RESUME_URL_HEADER } from '@millrace/domain';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

// Pages of other sites may send webhooks. Browsers send a preflight request before, which starts no run.

const PATH = '/api/v1/webhooks/';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const READABLE = [
  'x-webhook-id',
  'x-request-id',
  RESUME_URL_HEADER,
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
].join(', ');
const REMEMBERED_SECONDS = '600';

export function answerCrossOrigin(app: NestFastifyApplication, origins: readonly string[]): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isWebhook(request)) return done();
    allowOrigin(origins, request, reply);
    if (!isPreflight(request)) return done();
    void reply
      .status(204)
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .header('access-control-max-age', REMEMBERED_SECONDS)
      .send();
  });
}

/** The route is checked too, because an address can be written in several ways. */
const isWebhook = ({ url, routeOptions }: FastifyRequest): boolean =>
  url.startsWith(PATH) || routeOptions.url?.startsWith(PATH) === true;

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function allowOrigin(origins: readonly string[], { headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  if (origins.includes('*')) void reply.header('access-control-allow-origin', '*');
  else {
    void reply.header('vary', 'Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    void reply.header('access-control-allow-origin', origin);
  }
  if (origin !== undefined) void reply.header('access-control-expose-headers', READABLE);
}
