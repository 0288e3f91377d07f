import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { acceptsPages } from '../console/console-pages';

const DOCUMENTATION = '/api/docs';

/**
 * Redirects a browser from the base URL to the documentation, where the console is not served. Other clients get 404
 * there.
 */
export function serveFrontPage(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/', (request, reply) => {
    void reply.header('vary', 'accept');
    if (acceptsPages(request)) return reply.redirect(DOCUMENTATION, 302);
    return reply.callNotFound();
  });
}
