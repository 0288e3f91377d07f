import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const READABLE = [
  'x-request-id',
  'ETag',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
const REMEMBERED_SECONDS = 600;

/**
 * Lets pages of the listed origins read answers of the api; `*` stands for all origins. Without a list only pages of
 * the api's own origin can read them. Cookies are never sent across origins.
 */
export function allowOrigins(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: METHODS,
    exposedHeaders: READABLE,
    maxAge: REMEMBERED_SECONDS,
    credentials: false,
    strictPreflight: false,
  });
}
