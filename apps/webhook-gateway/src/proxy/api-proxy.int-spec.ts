import { ServiceUnavailableError } from '@millrace/domain';
import { createHttpApp, RefusedAnswers } from '@millrace/http';
import { Body, Controller, Get, Headers, Module, Post, Req } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { passToApi } from './api-proxy';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';

const refusals = jest.fn();

@Controller('api')
class EchoController {
  @Get('away')
  away(): never {
    refusals();
    throw new ServiceUnavailableError('The database is away; try again later.', 5);
  }

  @Post()
  echo(@Headers() headers: Record<string, string>, @Body() body: unknown): unknown {
    return { headers, body };
  }

  /** Answers where the api believes that the request comes from. */
  @Get('origin')
  origin(@Req() { ip, host, protocol, headers }: FastifyRequest): unknown {
    const named = Object.keys(headers).filter((name) => /forwarded|real-ip/.test(name));
    return { ip, host, protocol, named };
  }
}

@Module({ controllers: [EchoController] })
class ApiModule {}

@Module({})
class EmptyModule {}

const settings = { ...LOCAL_SETTINGS, SVC_TRUSTED_PROXIES: ['loopback'] };

describe('passToApi', () => {
  let api: NestFastifyApplication;
  let gateway: NestFastifyApplication;

  beforeAll(async () => {
    api = await createHttpApp(ApiModule, settings, { name: 'api' });
    await api.listen(0, '127.0.0.1');
    gateway = await createHttpApp(EmptyModule, settings, { name: 'gateway', bodies: 'raw' });
    await passToApi(gateway, `http://127.0.0.1:${portOf(api.getHttpServer())}`, ['loopback']);
    await gateway.listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    await gateway.close();
    await api.close();
  });

  /** Returns all that is received on a TCP connection until it is closed. The data to send may be endless. */
  const exchange = (head: string, chunk: string, isEndless = false): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect({ port: portOf(gateway.getHttpServer()), host: '127.0.0.1', allowHalfOpen: true });
      const keepSending = (): void => {
        while (!socket.writableEnded && socket.write(chunk));
      };
      socket.write(head);
      if (isEndless) socket.on('connect', keepSending).on('drain', keepSending);
      else socket.write(chunk);
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('end', () => socket.end());
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  const BODY = '{"n":1}';
  const post = (more: string): string =>
    `POST /api HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n`;

  it.each([
    ['Expect: 100-continue', 'Connection: close\r\n'],
    ['Keep-Alive: timeout=5', 'Connection: close\r\n'],
    ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings, close\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'],
    ['Upgrade: websocket', 'Connection: Upgrade, close\r\n'],
    ['TE: trailers', 'Connection: close, TE\r\n'],
    ['Proxy-Connection: keep-alive', 'Connection: close\r\n'],
    ['X-Mine: 1', 'Connection: close, X-Mine\r\n'],
  ])('passes a request on that has %s, and keeps that header to itself', async (header, more) => {
    const answer = await exchange(post(`${header}\r\n${more}Content-Length: ${BODY.length}\r\n`), BODY);
    const [heads, text] = [answer.slice(0, answer.indexOf('{')), answer.slice(answer.indexOf('{'))];

    expect(heads).toMatch(/HTTP\/1.1 201 /);
    const echoed = JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)) as { headers: object; body: unknown };
    expect(echoed.body).toEqual({ n: 1 });
    expect(Object.keys(echoed.headers)).not.toContain(header.split(':')[0]?.toLowerCase());
  });

  it('passes the first 503 of the api on, and does not ask it again by itself', async () => {
    const answer = await exchange('GET /api/away HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '');

    expect(answer).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 5\r\n[^]*The database is away/);
    expect(refusals).toHaveBeenCalledTimes(1);
  });

  it('asks for a body that is expected', async () => {
    const answer = await exchange(post('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 7\r\n'), BODY);
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it('asks for no body in HTTP/1.0, which has no such answer', async () => {
    const request = post('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 7\r\n');
    expect(await exchange(request.replace('HTTP/1.1', 'HTTP/1.0'), BODY)).toMatch(/^HTTP\/1.1 201 /);
  });

  const WEB_SOCKET = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

  it.each(['/nowhere', '//127.0.0.1:1/nowhere'])(
    'answers a request for a WebSocket at %s, which the api does not take, as the api answers it',
    async (path) => {
      const answer = await exchange(`GET ${path} HTTP/1.1\r\n${WEB_SOCKET}${KEY}`, '');
      expect(answer).toMatch(/^HTTP\/1.1 404 [^]*x-request-id: [^]*ROUTE_NOT_FOUND/);
    },
  );

  it.each(['/metrics', '/metrics?a=1', '/%6detrics', '//metrics', 'http://x/metrics', '/metrics/', '/%zz'])(
    'never asks the api for a WebSocket at %s',
    async (path) => {
      const upgrades = jest.fn((_request: IncomingMessage, socket: Socket) => socket.end());
      api.getHttpServer().on('upgrade', upgrades);

      const lastRequest = WEB_SOCKET.replace('Connection: Upgrade', 'Connection: Upgrade, close');
      const answer = await exchange(`GET ${path} HTTP/1.1\r\n${lastRequest}${KEY}`, '');

      api.getHttpServer().off('upgrade', upgrades);
      expect(upgrades).not.toHaveBeenCalled();
      expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
    },
  );

  it('lets both sides of a WebSocket that the api takes write what they like, until one of them ends it', async () => {
    const server = api.getHttpServer();
    const asked: IncomingMessage[] = [];
    server.once('upgrade', (request: IncomingMessage, socket: Socket) => {
      asked.push(request);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello ');
      socket.once('data', (bytes) => socket.end(`${bytes.toString()} yourself`));
    });

    const answer = await exchange(`GET /socket?a=1 HTTP/1.1\r\n${WEB_SOCKET}${KEY}`, 'hello');

    expect(answer).toMatch(/^HTTP\/1.1 101 [^]*\r\n\r\nhello hello yourself$/);
    expect(asked[0]).toMatchObject({ url: '/socket?a=1', headers: { 'sec-websocket-version': '13' } });
  });

  describe('closes its side of a connection', () => {
    const taken = async (path: string): Promise<{ gatewaySide: Promise<unknown>; client: Socket }> => {
      const accepted = once(gateway.getHttpServer(), 'connection') as Promise<[Socket]>;
      const client = connect({ port: portOf(gateway.getHttpServer()), host: '127.0.0.1', allowHalfOpen: true });
      client.on('error', () => undefined).resume();
      const [socket] = await accepted;
      client.write(`GET ${path} HTTP/1.1\r\n${WEB_SOCKET}${KEY}`);
      return { gatewaySide: once(socket, 'close'), client };
    };
    const endByApi = (): void =>
      void api.getHttpServer().once('upgrade', (_request: IncomingMessage, socket: Socket) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.resume();
      });

    it.each(['the api ends', 'the api refuses'])('when a client closes a WebSocket that %s', async (end) => {
      if (end === 'the api ends') endByApi();
      const { gatewaySide, client } = await taken(end === 'the api ends' ? '/socket' : '/nowhere');
      client.once('end', () => client.end());
      await gatewaySide;
    });

    it('when a client does not close a WebSocket that the api ends', async () => {
      endByApi();
      const { gatewaySide, client } = await taken('/socket');
      await gatewaySide;
      client.destroy();
    });
  });

  describe('tells the api where a request comes from', () => {
    const CLAIMS = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'flows.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '443',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;host=flows.example;proto=https',
    };
    const NAMED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

    const originOf = async (front: NestFastifyApplication): Promise<object> => {
      const answer = await fetch(`http://127.0.0.1:${portOf(front.getHttpServer())}/api/origin`, { headers: CLAIMS });
      const { named, ...origin } = (await answer.json()) as { named: string[] };
      return { ...origin, named: named.sort() };
    };

    it('as a trusted proxy says', async () => {
      expect(await originOf(gateway)).toEqual({
        ip: '203.0.113.9',
        host: 'flows.example',
        protocol: 'https',
        named: NAMED,
      });
    });

    it('and not as a client says', async () => {
      const strict = await createHttpApp(EmptyModule, settings, { name: 'gateway', bodies: 'raw' });
      await passToApi(strict, `http://127.0.0.1:${portOf(api.getHttpServer())}`, ['10.0.0.0/8']);
      await strict.listen(0, '127.0.0.1');
      const told = await originOf(strict);
      const host = `127.0.0.1:${portOf(strict.getHttpServer())}`;
      await strict.close();
      expect(told).toEqual({ ip: '127.0.0.1', host, protocol: 'http', named: NAMED });
    });
  });

  const MEGABYTE = 'x'.repeat(1024 * 1024);

  it.each([
    ['a length of 100 MB', `Content-Length: ${100 * 1024 * 1024}\r\n`, MEGABYTE],
    ['chunks without end', 'Transfer-Encoding: chunked\r\n', `100000\r\n${MEGABYTE}\r\n`],
  ])('lets a sender of %s read that it is too much for the api', async (_what, header, chunk) => {
    expect(await exchange(post(header), chunk, true)).toMatch(/^HTTP\/1.1 413 [^]*PAYLOAD_TOO_LARGE/);
  });

  it('answers 503 in the one shape while the api is away', async () => {
    await api.close();
    const answer = await exchange(post(`Connection: close\r\nContent-Length: ${BODY.length}\r\n`), BODY);
    expect(answer).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 2[^]*SERVICE_UNAVAILABLE/);
    const tunnel = await exchange(`GET /socket HTTP/1.1\r\n${WEB_SOCKET}${KEY}`, '');
    expect(tunnel).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 2[^]*SERVICE_UNAVAILABLE/);
    expect(gateway.get(RefusedAnswers).entries()).toContainEqual(['SERVICE_UNAVAILABLE', 2]);
  });
});
