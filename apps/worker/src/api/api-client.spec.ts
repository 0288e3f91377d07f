import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postToApi } from './api-client';

describe('postToApi', () => {
  let server: Server;
  let received: { path?: string; headers: IncomingHttpHeaders }[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      received.push({ path: request.url, headers: request.headers });
      if (request.url === '/elsewhere') response.writeHead(307, { location: '/taken' }).end();
      else if (request.url === '/text') response.writeHead(502).end('Bad gateway');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"heartbeatSeconds":10}');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    received = [];
  });

  const post = (path: string) =>
    postToApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, 'the-token', { id: 'w' });

  it('sends the token and reads the answer', async () => {
    expect(await post('/api')).toEqual({ statusCode: 200, body: { heartbeatSeconds: 10 } });
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer the-token' });
  });

  it('follows no redirect, which could lead the token elsewhere', async () => {
    await expect(post('/elsewhere')).rejects.toThrow();
    expect(received.map(({ path }) => path)).toEqual(['/elsewhere']);
  });

  it('takes an answer that is no JSON for what it is', async () => {
    expect(await post('/text')).toEqual({ statusCode: 502, body: null });
  });
});
