import { createHttpApp } from '@millrace/http';
import { Controller, Get, Module, Param } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { passToApi } from './api-proxy';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';
import { MOST_WAITING } from './pipelined-requests';

/** What was asked of the api, and what lets each question be answered. */
const asked: string[] = [];
const answers = new Map<string, () => void>();
let noticeAsked: () => void = () => undefined;

/** Requests below the address of a webhook go to the api too, when the gateway has no such route. */
const PLACES = ['questions', 'api/v1/webhooks/a/b'];

@Controller(PLACES)
class QuestionsController {
  @Get(':name')
  async answer(@Param('name') name: string): Promise<string> {
    asked.push(name);
    const answered = new Promise<void>((resolve) => answers.set(name, resolve));
    noticeAsked();
    await answered;
    return `answer to ${name}.`;
  }
}

@Module({ controllers: [QuestionsController] })
class ApiModule {}

@Module({})
class EmptyModule {}

describe('the requests of a client that does not wait for its answers', () => {
  let api: NestFastifyApplication;
  let gateway: NestFastifyApplication;
  let client: Socket;
  /** The requests that the gateway itself has seen. */
  let seen: string[];

  beforeEach(async () => {
    asked.length = 0;
    api = await createHttpApp(ApiModule, LOCAL_SETTINGS, { name: 'api' });
    await api.listen(0, '127.0.0.1');
    gateway = await createHttpApp(EmptyModule, LOCAL_SETTINGS, { name: 'gateway', bodies: 'raw' });
    seen = [];
    gateway
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', ({ url }: { url: string }, _reply: unknown, done: () => void) => {
        seen.push(url);
        done();
      });
    await passToApi(gateway, `http://127.0.0.1:${portOf(api.getHttpServer())}`, []);
    await gateway.listen(0, '127.0.0.1');
    client = connect(portOf(gateway.getHttpServer()), '127.0.0.1');
    await once(client, 'connect');
  });

  afterEach(async () => {
    client.destroy();
    for (const answer of answers.values()) answer();
    await gateway.close();
    await api.close();
  });

  const sendTo = (place: string, names: string[]) =>
    client.write(names.map((name) => `GET /${place}/${name} HTTP/1.1\r\nHost: here\r\n\r\n`).join(''));
  const send = (...names: string[]) => sendTo('questions', names);
  const nextAsked = () => new Promise<void>((resolve) => (noticeAsked = resolve));

  it.each(PLACES)('are passed on one after the other, and answered in order, at %s', async (place) => {
    let received = '';
    client.on('data', (chunk) => (received += String(chunk)));
    const names = ['a', 'b', 'c'];
    let next = nextAsked();
    sendTo(place, names);
    const askedBefore: string[] = [];
    for (const name of names) {
      await next;
      askedBefore.push(asked.join());
      next = nextAsked();
      answers.get(name)?.();
    }
    while (!received.includes('answer to c.')) await once(client, 'data');

    expect(askedBefore).toEqual(['a', 'a,b', 'a,b,c']);
    expect(received.match(/answer to \w/g)).toEqual(['answer to a', 'answer to b', 'answer to c']);
  });

  it('cost the gateway nothing while they wait', async () => {
    const next = nextAsked();
    send(...Array.from({ length: MOST_WAITING }, (_, n) => `${n}`));
    await next;

    expect(seen).toEqual(['/questions/0']);
  });

  it('are dropped when it has gone', async () => {
    const next = nextAsked();
    send('first', 'second');
    await next;
    client.destroy();
    const other = connect(portOf(gateway.getHttpServer()), '127.0.0.1');
    const later = nextAsked();
    other.write('GET /questions/other HTTP/1.1\r\nHost: here\r\n\r\n');
    await later;

    expect(asked).toEqual(['first', 'other']);
    other.destroy();
  });

  it('are all answered, up to the number that may wait', async () => {
    const names = Array.from({ length: MOST_WAITING + 1 }, (_, n) => `${n}`);
    let received = '';
    client.on('data', (chunk) => (received += String(chunk)));
    noticeAsked = () => answers.get(asked.at(-1) ?? '')?.();
    send(...names);
    while (!received.includes(`answer to ${MOST_WAITING}.`)) await once(client, 'data');

    expect(asked).toEqual(names);
  });

  it('are not answered, and its connection is cut, when more wait', async () => {
    const handedOver: boolean[] = [];
    gateway.getHttpServer().on('request', ({ socket }: { socket: Socket }) => handedOver.push(socket.destroyed));
    send('first', ...Array.from({ length: 10_000 }, (_, n) => `${n}`));
    client.on('error', () => undefined); // the server may have cut it while it was still sending
    await new Promise((resolve) => client.once('close', resolve));

    expect(asked.filter((name) => name !== 'first')).toEqual([]);
    expect(handedOver.filter((isCut) => !isCut)).toHaveLength(MOST_WAITING + 1);
  });
});
