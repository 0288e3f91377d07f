import { Body, Controller, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHttpApp } from '../http-app';
import { idsAround } from './log-context';

@Controller('lines')
class LinesController {
  @Post()
  async write(@Body() body: object): Promise<object> {
    await nextTurn();
    return { body, ids: idsAround({}) };
  }
}

@Module({ controllers: [LinesController] })
class LinesModule {}

const settings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent',
};

describe('The log lines of a request', () => {
  let app: NestFastifyApplication;
  afterEach(() => app.close());

  async function asked(namesRequestsInLog: boolean) {
    app = await createHttpApp(LinesModule, settings, { name: 'lines', namesRequestsInLog });
    await app.listen(0, '127.0.0.1');
    const answer = await fetch(`${await app.getUrl()}/lines`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    return { id: answer.headers.get('x-request-id'), said: await answer.json() };
  }

  it('have the id that the sender gets, also after its body was read', async () => {
    const { id, said } = await asked(true);
    expect(said).toEqual({ body: { a: 1 }, ids: { requestId: id } });
  });

  it('have none by themselves in an app that does not ask for it, as the gateway', async () => {
    const { said } = await asked(false);
    expect(said).toEqual({ body: { a: 1 }, ids: {} });
  });
});
