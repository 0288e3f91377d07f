import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const YEAR_SECONDS = 31_536_000;
/** Addresses of the service that are no pages of the console. */
const NO_PAGES = /^\/(?:api|admin|metrics|assets)(?:[/?]|$)/;
const READS = new Set(['GET', 'HEAD']);
const HEAD = '<head>';

/**
 * Serves the built console of this folder: its assets, whose names hold a hash, are kept by browsers for ever, and every
 * address that a browser opens and that belongs to nothing else gets the page, which reads the address itself. Other
 * clients get 404 there.
 */
export async function serveConsole(app: NestFastifyApplication, folder: string): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: YEAR_SECONDS * 1_000,
  });
  const page = pageOf(folder);
  // A hook and no route for all addresses, which would take those that the router refuses, such as too long ids.
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (!request.is404 || !READS.has(request.method) || NO_PAGES.test(request.url)) return done();
    void reply.header('vary', 'accept');
    if (!acceptsPages(request)) return done();
    const nonce = randomBytes(16).toString('base64');
    void reply
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': policyWith(nonce) })
      .type('text/html; charset=utf-8')
      .send(page(nonce));
  });
}

export const acceptsPages = (request: FastifyRequest): boolean => /\btext\/html\b/.test(request.headers.accept ?? '');

/** Returns the page with a nonce, by which libraries mark the styles that they make. */
function pageOf(folder: string): (nonce: string) => string {
  const [before, after] = readFileSync(join(folder, 'index.html'), 'utf8').split(HEAD, 2);
  return (nonce) => `${before}${HEAD}<meta property="csp-nonce" nonce="${nonce}">${after}`;
}

const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
