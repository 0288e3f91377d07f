import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const YEAR_SECONDS = 31_536_000;

/** The page of the documentation. Its scripts are files of the api; its styles are partly within the page. */
const DOCUMENTATION = /^\/api\/docs(?:[/?]|$)/;
const POLICY_OF_DOCUMENTATION =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Answers carry the headers with which browsers refuse to run, frame or pass on what they get. Only data is allowed:
 * each page that the api serves sets a policy of its own. Browsers are told to insist on https where the service is
 * reached by it.
 */
export async function sendSecurityHeaders(app: NestFastifyApplication, publicUrl: string): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.register(helmet, headersFor(publicUrl));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (DOCUMENTATION.test(request.url)) void reply.header('content-security-policy', POLICY_OF_DOCUMENTATION);
    done();
  });
}

const headersFor = (publicUrl: string): FastifyHelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
  },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: publicUrl.startsWith('https:') && { maxAge: YEAR_SECONDS, includeSubDomains: false },
});
