import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerProbesWhile } from './probes-at-start';

const HOST = '127.0.0.1';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('an app that starts', () => {
  it('lives and is not ready, refuses all else, and leaves the port to itself then', async () => {
    const port = await freePort();
    const ask = async (path: string) => {
      const answer = await fetch(`http://${HOST}:${port}${path}`);
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
    };

    const answers = await answerProbesWhile(port, HOST, () =>
      Promise.all([ask('/api/v1/health/live'), ask('/api/v1/health/ready?x=1'), ask('/api/v1/flows')]),
    );
    const app = createServer().listen(port, HOST);
    await once(app, 'listening');
    app.close();

    expect(answers).toEqual([
      { status: 200, retryAfter: null, body: { status: 'live' } },
      { status: 503, retryAfter: null, body: { ready: false, checks: { started: false } } },
      {
        status: 503,
        retryAfter: '5',
        body: {
          statusCode: 503,
          code: 'SERVICE_UNAVAILABLE',
          params: { message: 'The service is starting; try again later.' },
        },
      },
    ]);
  });

  it('leaves the port free when it cannot start, and uses none when any port will do', async () => {
    const port = await freePort();
    const start = () => Promise.reject(new Error('broken'));

    await expect(answerProbesWhile(port, HOST, start)).rejects.toThrow('broken');
    await expect(answerProbesWhile(port, HOST, start)).rejects.toThrow('broken');
    expect(await answerProbesWhile(0, HOST, () => Promise.resolve('app'))).toBe('app');
  });
});
