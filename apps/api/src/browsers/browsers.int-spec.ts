import { createHttpApp } from '@millrace/http';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { allowOrigins } from './cross-origin';
import { sendSecurityHeaders } from './security-headers';

@Module({})
class EmptyModule {}

const settings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent' as const,
};
const FRIEND = 'https://console.example.com';

async function start(publicUrl: string, origins: readonly string[]): Promise<NestFastifyApplication> {
  const app = await createHttpApp(EmptyModule, settings, { name: 'api' });
  await sendSecurityHeaders(app, publicUrl);
  allowOrigins(app, origins);
  app
    .getHttpAdapter()
    .getInstance()
    .get('/api/docs', (_request, reply) => reply.type('text/html').send('<html></html>'));
  await app.listen(0, '127.0.0.1');
  return app;
}

async function ask(app: NestFastifyApplication, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${await app.getUrl()}${path}`, init);
  await answer.arrayBuffer();
  return { status: answer.status, headers: Object.fromEntries(answer.headers) };
}

describe('what the api tells browsers', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await start('https://millrace.example.com', [FRIEND]);
  });

  afterAll(() => app.close());

  it('lets a browser do nothing with data but read it, over https only', async () => {
    const { headers } = await ask(app, '/api/v1/unknown');
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
  });

  it('lets the page of the documentation run its own scripts, and no others', async () => {
    const { status, headers } = await ask(app, '/api/docs');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("script-src 'self';");
  });

  it('says nothing about https where the service is reached without it', async () => {
    const plain = await start('http://127.0.0.1:3000', []);
    const { headers } = await ask(plain, '/api/v1/unknown');
    await plain.close();
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it('lets pages of a listed origin read answers, and sends them no cookies', async () => {
    const { headers } = await ask(app, '/api/v1/unknown', { headers: { origin: FRIEND } });
    expect(headers).toMatchObject({ 'access-control-allow-origin': FRIEND, vary: 'Origin' });
    expect(headers['access-control-expose-headers']).toContain('ETag');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('answers the question that a browser asks before a request', async () => {
    const { status, headers } = await ask(app, '/api/v1/flows', {
      method: 'OPTIONS',
      headers: { origin: FRIEND, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' },
    });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': FRIEND,
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'x-a',
    });
  });

  it.each(['https://evil.example.com', 'null', 'https://console.example.com.evil.com'])(
    'lets no page of %s read an answer',
    async (origin) => {
      const { headers } = await ask(app, '/api/v1/unknown', { headers: { origin } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});
