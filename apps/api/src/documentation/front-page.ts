import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const DOCUMENTATION = '/api/docs';

/** Redirects a browser from the base URL to the documentation. Other clients get 404 there. */
export function serveFrontPage(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/', (request, reply) => {
    void reply.header('vary', 'accept');
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect(DOCUMENTATION, 302);
    return reply.callNotFound();
  });
}
