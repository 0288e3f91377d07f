import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallTokens } from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import { ApiReads } from './api-reads';
import type { CallOfApi } from './call-of-api';

const PROJECT = '0198f3a0-0000-7000-8000-000000000001';
const CALL = { projectId: PROJECT, signal: new AbortController().signal } as CallOfApi;

describe('what packages read of the api', () => {
  const clock = new HandDrivenClock();
  const tokens = new CallTokens(async () => Buffer.alloc(32, 1));
  const received: { url: string; token: string }[] = [];
  let api: Server;
  let reads: ApiReads;

  beforeAll(async () => {
    api = createServer((request, response) => {
      received.push({ url: request.url ?? '', token: (request.headers.authorization ?? '').replace('Bearer ', '') });
      if (request.url?.includes('large')) return void response.end(Buffer.alloc(11 * 1024 * 1024, '1'));
      const isPage = request.url?.includes('page');
      const type = isPage ? 'text/html' : 'application/json; charset=utf-8';
      response.writeHead(403, { 'content-type': type }).end(isPage ? '<p>no</p>' : '{ "code": "AUTHORIZATION" }');
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const SVC_API_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    reads = new ApiReads(tokens, clock, { SVC_API_URL });
  });
  beforeEach(() => void received.splice(0));
  afterAll(() => api.close());

  const read = (path: string) => reads.read(new URL(path, 'http://inner'), CALL, new AbortController().signal);
  async function readText(path: string): Promise<[status: number, json: string]> {
    const { status, json } = await read(path);
    return [status, json.toString()];
  }

  it('is asked for with a token of the project, and answered as the api does', async () => {
    expect(await readText('/api/v1/flows?projectId=a%20b')).toEqual([403, '{ "code": "AUTHORIZATION" }']);

    expect(received.map(({ url }) => url)).toEqual(['/api/v1/flows?projectId=a%20b']);
    expect(await tokens.projectOf(received[0]?.token ?? '', clock.now())).toBe(PROJECT);
  });

  it('is null where something before the api has answered', async () => {
    expect(await readText('/api/v1/flows?page')).toEqual([403, 'null']);
  });

  it.each([
    '/metrics',
    '/api/v1/connections',
    '/api/v1/worker-machines',
    '/api/v1/flows/../connections',
    '/api/v1/flows/x%2F..%2Fy',
    `/api/v1/files/${PROJECT}`,
    `/api/v1/flows/${PROJECT}/versions`,
  ])('is not %s', async (path) => {
    await expect(read(path)).rejects.toMatchObject({ status: 404 });
    expect(received).toEqual([]);
  });

  it('is not larger than its bound', async () => {
    await expect(read('/api/v1/flows?large')).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('is missed as a service is when the api is away', async () => {
    const away = new ApiReads(tokens, clock, { SVC_API_URL: 'http://127.0.0.1:9' });

    await expect(
      away.read(new URL('http://inner/api/v1/flows'), CALL, new AbortController().signal),
    ).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
