import { createHttpApp } from '@millrace/http';
import { All, Controller, HttpCode, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { letInByTurns } from './let-in';
import { PublishedFlows } from './published-flows';
import { WebhooksUnderWay } from './webhooks-under-way';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';

let received = 0;
let hasRoom = true;
let noticeAsked: () => void = () => undefined;

@Controller('hooks')
class HooksController {
  @All(':flowId')
  @HttpCode(200)
  receive(): string {
    received++;
    return 'received';
  }
}

const underWay = {
  hasRoom: () => {
    noticeAsked();
    return hasRoom;
  },
};

@Module({
  controllers: [HooksController],
  providers: [
    { provide: PublishedFlows, useValue: { projectOf: () => 'project' } },
    { provide: WebhooksUnderWay, useValue: underWay },
  ],
})
class HooksModule {}

describe('letInByTurns', () => {
  let app: NestFastifyApplication;
  let port: number;
  /** All requests use the same connection. */
  let agent: Agent;

  beforeEach(async () => {
    received = 0;
    hasRoom = true;
    app = await createHttpApp(HooksModule, LOCAL_SETTINGS, { name: 'hooks', bodies: 'raw' });
    letInByTurns(app, new Set(['/hooks/:flowId']));
    await app.listen(0, '127.0.0.1');
    port = portOf(app.getHttpServer());
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });

  afterEach(async () => {
    agent.destroy();
    await app.close();
  });

  const send = (path: string, body = '{}') =>
    new Promise<{ status?: number; retryAfter?: string; body: string; isSameConnection: boolean }>(
      (resolve, reject) => {
        const sent = request({ port, path, method: 'POST', agent }, (answer) => {
          let text = '';
          answer.on('data', (chunk) => (text += String(chunk)));
          answer.on('end', () => {
            const { statusCode: status, headers } = answer;
            resolve({ status, retryAfter: headers['retry-after'], body: text, isSameConnection: sent.reusedSocket });
          });
        });
        sent.on('error', reject);
        sent.end(body);
      },
    );

  it('lets webhooks in while there is room', async () => {
    expect(await send('/hooks/1')).toMatchObject({ status: 200, body: 'received' });
  });

  it('refuses a webhook that has waited too long for room, and keeps its connection', async () => {
    hasRoom = false;
    const refused = await send('/hooks/1', '{"n":1}');
    hasRoom = true;
    const taken = await send('/hooks/1');

    expect(refused).toMatchObject({ status: 503, retryAfter: '2' });
    expect(JSON.parse(refused.body)).toMatchObject({ statusCode: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(taken).toMatchObject({ status: 200, isSameConnection: true });
    expect(received).toBe(1);
  });

  it('lets other requests pass', async () => {
    hasRoom = false;

    expect(await send('/elsewhere')).toMatchObject({ status: 404 });
  });

  it('drops a webhook whose sender has gone while it waited', async () => {
    hasRoom = false;
    const asked = new Promise<void>((resolve) => (noticeAsked = resolve));
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    client.write('POST /hooks/1 HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}');
    await asked;
    const gone = new Promise((resolve) => app.getHttpServer().once('connection', resolve));
    client.destroy();
    await once(client, 'close');
    connect(port, '127.0.0.1').end();
    await gone; // the server has read that the first one has gone, before it accepts another
    hasRoom = true;
    const later = await send('/hooks/2');

    expect(later.status).toBe(200);
    expect(received).toBe(1);
  });
});
