import { createHttpApp } from '@millrace/http';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { serveFrontPage } from './front-page';

@Module({})
class EmptyModule {}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const settings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent' as const,
};

describe('the base URL', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await createHttpApp(EmptyModule, settings, { name: 'api' });
    serveFrontPage(app);
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  const get = async (headers: Record<string, string>) => fetch(await app.getUrl(), { redirect: 'manual', headers });

  it('leads a browser to the documentation', async () => {
    const { status, headers } = await get({ accept: BROWSER });
    expect([status, headers.get('location'), headers.get('vary')]).toEqual([302, '/api/docs', 'accept']);
  });

  it.each(['*/*', 'application/json'])(
    'has nothing for a client that accepts %s, and says so in the one shape',
    async (accept) => {
      const answer = await get({ accept });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ statusCode: 404, code: 'ROUTE_NOT_FOUND' });
    },
  );
});
