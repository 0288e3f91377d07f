import { createHttpApp } from '@millrace/http';
import { All, Controller, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { answerCrossOrigin } from './cross-origin';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';

let received = 0;

@Controller('api/v1/webhooks')
class HooksController {
  @All(':flowId')
  receive(): string {
    received++;
    return 'received';
  }
}

@Module({ controllers: [HooksController] })
class HooksModule {}

describe('answerCrossOrigin', () => {
  let app: NestFastifyApplication | undefined;

  /** Returns a function that sends requests to the app. */
  const appFor = async (origins: string[]) => {
    app = await createHttpApp(HooksModule, LOCAL_SETTINGS, { name: 'hooks', bodies: 'raw' });
    answerCrossOrigin(app, origins);
    await app.listen(0, '127.0.0.1');
    const base = `http://127.0.0.1:${portOf(app.getHttpServer())}`;
    return async (path: string, method: string, headers: Record<string, string>) => {
      const answer = await fetch(`${base}${path}`, { method, headers });
      return { status: answer.status, headers: Object.fromEntries(answer.headers) };
    };
  };
  afterEach(() => app?.close());

  const page = 'https://page.example';
  const WEBHOOK = '/api/v1/webhooks/1';
  const preflight = {
    origin: page,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-mine',
  };

  it.each([WEBHOOK, '/api/v1/webhook%73/1'])('answers a preflight for %s, and starts nothing', async (path) => {
    received = 0;
    const answer = await (await appFor(['*']))(path, 'OPTIONS', preflight);

    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('PUT'),
      'access-control-allow-headers': 'x-mine',
    });
    expect(received).toBe(0);
  });

  it('takes an OPTIONS request that is no preflight for a webhook', async () => {
    received = 0;
    await (
      await appFor(['*'])
    )(WEBHOOK, 'OPTIONS', {});
    expect(received).toBe(1);
  });

  it('lets pages read answers, refusals too', async () => {
    const send = await appFor(['*']);
    for (const url of ['/api/v1/webhooks/1', '/api/v1/webhooks/1/nowhere']) {
      const { headers } = await send(url, 'POST', { origin: page });
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(
          /x-webhook-id.*x-millrace-resume-url.*Retry-After.*RateLimit-Reset/,
        ),
      });
    }
    expect((await send('/elsewhere', 'GET', { origin: page })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });

  it('names an origin back where only some are allowed', async () => {
    const send = await appFor(['https://other.example', page]);
    const { headers } = await send(WEBHOOK, 'OPTIONS', preflight);
    expect(headers).toMatchObject({ 'access-control-allow-origin': page, vary: 'Origin' });

    const foreign = await send(WEBHOOK, 'OPTIONS', { ...preflight, origin: 'https://bad.example' });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });
});
