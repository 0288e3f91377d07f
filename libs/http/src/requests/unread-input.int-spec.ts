import { Body, Controller, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { HealthModule } from '../health/health.module';
import { ReadinessChecks } from '../health/readiness';
import { createHttpApp } from '../http-app';
import { UnreadInputInterceptor } from './unread-input.interceptor';

@Controller('things')
class ThingsController {
  @Get()
  list(@Query() query: unknown): unknown {
    return { query };
  }

  @Get('one')
  read(): unknown {
    return {};
  }

  @Post('check')
  @HttpCode(200)
  check(): unknown {
    return {};
  }

  @Post('run')
  @HttpCode(200)
  run(@Body() body: unknown): unknown {
    return { body };
  }
}

class NoChecks extends ReadinessChecks {
  readonly needed = {};
}

@Module({
  imports: [HealthModule.forRoot(NoChecks)],
  controllers: [ThingsController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: UnreadInputInterceptor }],
})
class ThingsModule {}

const settings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent' as const,
};

describe('input that a route does not read', () => {
  let app: NestFastifyApplication;
  let baseUrl: string;

  beforeAll(async () => {
    app = await createHttpApp(ThingsModule, settings, { name: 'things' });
    await app.listen(0, '127.0.0.1');
    baseUrl = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());

  const ask = async (method: string, path: string, body?: string) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${baseUrl}${path}`, { method, body, headers });
    return { status: answer.status, body: (await answer.json()) as { params?: { message: string } } };
  };

  it.each([
    ['GET', '/things/one?colour=red', undefined, '/colour: is not a known field.'],
    ['GET', '/things/one?a[]=1&a[]=2&constructor=1', undefined, '/a: is not a known field.'],
    ['POST', '/things/check?versionId=1', '{}', '/versionId: is not a known field.'],
    ['POST', '/things/run?colour=red', '{"colour":"red"}', '/colour: is not a known field.'],
    ['POST', '/things/check', '{"a/b":1}', '/a~1b: is not a known field.'],
    ['POST', '/things/check', '[]', 'must be a JSON object.'],
    ['POST', '/things/check', '"versionId"', 'must be a JSON object.'],
  ])('is refused: %s %s %s', async (method, path, body, message) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.params?.message).toContain(message);
  });

  it.each([
    ['GET', '/things?colour=red', undefined],
    ['GET', '/things/one', undefined],
    ['GET', '/api/v1/health/live?at=1', undefined],
    ['POST', '/things/check', undefined],
    ['POST', '/things/check', '{}'],
    ['POST', '/things/check', 'null'],
    ['POST', '/things/run', '{"colour":"red"}'],
  ])('is not there: %s %s %s', async (method, path, body) => expect((await ask(method, path, body)).status).toBe(200));
});
