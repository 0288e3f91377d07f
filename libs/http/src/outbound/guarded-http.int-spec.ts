import { OutboundFailure, parseAllowList, type OutboundRequest } from '@millrace/domain';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { AddressGuard } from './address-guard';
import { GuardedHttp, type GuardedHttpOptions } from './guarded-http';
import { aDnsServer } from './testing/a-dns-server';
import { aPartingServer } from './testing/a-parting-server';
import { aRecorder, anEvilServer, anHttpServer, type TestServer } from './testing/test-servers';

const undo: (() => Promise<unknown>)[] = [];
const closing = <T extends { close(): Promise<unknown> }>(thing: T): T => {
  undo.push(() => thing.close());
  return thing;
};
afterEach(async () => {
  for (const close of undo.splice(0).reverse()) await close();
});

const loopback = (options: GuardedHttpOptions = {}): GuardedHttp =>
  closing(new GuardedHttp(new AddressGuard({ allowList: parseAllowList('127.0.0.1') }), options));

const aRequest = (
  server: Pick<TestServer, 'port'>,
  path = '/',
  given: Partial<OutboundRequest> = {},
): OutboundRequest => ({
  method: 'GET',
  url: `http://127.0.0.1:${server.port}${path}`,
  timeoutMs: 5_000,
  ...given,
});

async function failureOf(work: Promise<unknown>): Promise<OutboundFailure> {
  const ending: unknown = await work.catch((error: unknown) => error);
  if (ending instanceof OutboundFailure) return ending;
  throw new Error('the call should have failed, and as the network does', { cause: ending });
}

const text = (body: Uint8Array): string => Buffer.from(body).toString();

describe('an outbound call', () => {
  it('leaves no look-up behind when it ends before', async () => {
    const signals: AbortSignal[] = [];
    const lookup = (_host: string, signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const http = closing(new GuardedHttp(new AddressGuard({ lookup })));
    const calls = Array.from({ length: 50 }, (_, n) =>
      failureOf(http.send(aRequest({ port: 80 }, '/', { url: `http://${n}.slow.example/`, timeoutMs: 100 }))),
    );

    expect((await Promise.all(calls)).map(({ reason }) => reason)).toEqual(Array(50).fill('timeout'));
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array(50).fill(true));
  });

  it('sends what it is given and gives what comes back', async () => {
    const server = closing(
      await aRecorder((_request, response) =>
        response
          .writeHead(429, { 'retry-after': '7', 'x-two': ['a', 'b'], 'set-cookie': ['c=1', 'd=2'] })
          .end('slow down'),
      ),
    );

    const answer = await loopback().send(
      aRequest(server, '/orders?a=b%20c#part', {
        method: 'put',
        headers: { 'Content-Type': 'text/plain', 'X-Mine': 'é' },
        body: 'grüß',
        idempotencyKey: 'run:step',
      }),
    );

    expect(server.seen).toMatchObject([
      {
        method: 'PUT',
        url: '/orders?a=b%20c',
        body: 'grüß',
        headers: {
          'content-type': 'text/plain',
          'content-length': '6',
          'idempotency-key': 'run:step',
          'user-agent': 'Millrace',
          'x-mine': 'é',
        },
      },
    ]);
    expect(answer).toMatchObject({ status: 429, retryAfterMs: 7_000 });
    expect(answer.headers).toMatchObject({ 'x-two': 'a, b', 'set-cookie': 'c=1\nd=2' });
    expect(text(answer.body)).toBe('slow down');
  });

  it('keeps connections to an origin and makes no more than it may', async () => {
    const waiting: ServerResponse[] = [];
    const server = closing(
      await anHttpServer((_request, response) => {
        waiting.push(response);
        if (waiting.length === 3) for (const one of waiting.splice(0)) one.end();
      }),
    );
    const http = loopback({ bounds: { calls: 3, extra: 0 } });

    await Promise.all(Array.from({ length: 12 }, () => http.send(aRequest(server))));

    expect(server.mostAtOnce()).toBe(3);
    expect(server.connections()).toBe(3);
  });

  it('is not kept waiting by the slow calls of another project', async () => {
    const slow: ServerResponse[] = [];
    const server = closing(
      await anHttpServer((request, response) => void (request.url === '/slow' ? slow.push(response) : response.end())),
    );
    const http = loopback({ bounds: { calls: 4, extra: 1 } });
    const calls = Array.from({ length: 9 }, () => http.send(aRequest(server, '/slow', { projectId: 'a' })));

    expect(await http.send(aRequest(server, '/quick', { projectId: 'b' }))).toMatchObject({ status: 200 });
    expect(slow).toHaveLength(4);

    const timer = setInterval(() => slow.splice(0).forEach((response) => response.end()), 5);
    await Promise.all(calls);
    clearInterval(timer);
  });

  it('has its whole time when its turn has come', async () => {
    const server = closing(
      await anHttpServer((request, response) => void (request.url === '/second' && response.end())),
    );
    const http = loopback({ bounds: { calls: 1, extra: 0 } });

    const first = failureOf(http.send(aRequest(server, '/first', { timeoutMs: 1_100 })));
    const second = http.send(aRequest(server, '/second', { timeoutMs: 1_000 }));

    expect(await first).toMatchObject({ reason: 'timeout' });
    expect(await second).toMatchObject({ status: 200 });
  });

  it('leaves the line when it is stopped there, or the client closes', async () => {
    const server = closing(await anHttpServer(() => undefined));
    const http = loopback({ bounds: { calls: 1, extra: 0 } });
    const stop = new AbortController();
    const underWay = failureOf(http.send(aRequest(server)));
    const stoppedCall = failureOf(http.send(aRequest(server, '/', { signal: stop.signal })));
    const closed = failureOf(http.send(aRequest(server)));

    stop.abort();
    expect(await stoppedCall).toMatchObject({ reason: 'aborted' });
    await http.close();
    expect(await closed).toMatchObject({ reason: 'aborted' });
    expect(await underWay).toBeInstanceOf(OutboundFailure);
  });

  it.each(['/gzip', '/deflate', '/br', '/br-gzip'])('decompresses %s', async (path) => {
    const answer = await loopback().send(aRequest(closing(await anEvilServer()), path));

    expect(text(answer.body)).toBe('text');
    expect(Object.keys(answer.headers)).toEqual([]);
  });

  it('leaves a coding it does not know as it came', async () => {
    const answer = await loopback().send(aRequest(closing(await anEvilServer()), '/unknown-coding'));

    expect(text(answer.body)).toBe('text');
    expect(answer.headers['content-encoding']).toBe('zstd');
  });

  it.each(['/endless', '/long-announced', '/gzip-bomb', '/cut-gzip', '/short-body'])(
    'gives status and headers of %s to a caller that ignores the body',
    async (path) => {
      const server = closing(await anEvilServer());

      const answer = await loopback().send(aRequest(server, path, { ignoresBody: true, maxAnswerBytes: 1 }));

      expect(answer.status).toBe(200);
      expect(answer.body).toHaveLength(0);
    },
  );

  it.each([
    ['an answer whose body is ignored', 200, { ignoresBody: true }],
    ['a redirect', 302, {}],
  ])('does not wait for the rest of %s that stalls', async (_what, status, options) => {
    const server = closing(
      await aRecorder(({ url }, response) => {
        if (url === '/end') response.end();
        else response.writeHead(status, { location: '/end', 'content-length': '2' }).write('a');
      }),
    );

    const answer = await loopback().send(aRequest(server, '/', { ...options, timeoutMs: 2_000 }));

    expect(answer.status).toBe(200);
  });

  it('uses connections again after small bodies that are ignored', async () => {
    const server = closing(await aRecorder((_request, response) => response.end('small')));
    const http = loopback();

    for (let call = 0; call < 20; call++) await http.send(aRequest(server, '/', { ignoresBody: true }));

    expect(server.connections()).toBeLessThan(5);
  });

  it.each([
    ['is made on another one, with its key', { idempotencyKey: 'run:step' }, 200],
    ['fails without a key', {}, 'was closed before the answer was complete'],
  ])('whose connection was closed while this process stood still %s', async (_, key, ending) => {
    const server = closing(await aPartingServer());
    const http = loopback({ standstillMs: 100 });
    await http.send(aRequest(server));
    await setImmediate();
    globalThis.setImmediate(server.standStillUntilItLeaves); // just before the client writes the request

    const answer = http.send(aRequest(server, '/', { method: 'POST', body: '{}', ...key }));

    expect(
      await answer.then(
        ({ status }) => status,
        ({ message }: Error) => message,
      ),
    ).toEqual(typeof ending === 'number' ? ending : expect.stringContaining(ending));
  });

  it('goes without TLS only to a listed address when the caller wants that', async () => {
    const server = closing(await aRecorder());
    const lookup = () => Promise.resolve([{ address: '93.184.215.14' }]);
    const guard = new AddressGuard({ allowList: parseAllowList('127.0.0.1'), lookup });
    const http = closing(new GuardedHttp(guard));
    const request = { method: 'GET', plainHttpOnlyToListed: true };

    const listed = await http.send({ ...request, url: `http://127.0.0.1:${server.port}/` });
    const other = await failureOf(http.send({ ...request, url: 'http://events.dnstest.invalid/' }));

    expect(listed.status).toBe(200);
    expect(other).toMatchObject({
      reason: 'refused',
      message: 'The target is not allowed: its URL must begin with https.',
    });
  });

  it.each(['HEAD', 'GET'])('reads no body where HTTP has none (%s)', async (method) => {
    const server = closing(
      await anHttpServer((_request, response) =>
        response
          .writeHead(method === 'HEAD' ? 200 : 304, {
            'content-encoding': 'gzip',
            ...(method === 'HEAD' ? { 'content-length': 99 } : {}),
          })
          .end(),
      ),
    );

    const answer = await loopback().send(aRequest(server, '/', { method, maxAnswerBytes: 10 }));

    expect(answer.body).toHaveLength(0);
    expect(answer.headers['content-encoding']).toBe('gzip');
  });
});

describe('a hostile answer', () => {
  it.each([
    ['/endless', 'tooLarge'],
    ['/long-announced', 'tooLarge'],
    ['/big-headers', 'tooLarge'],
    ['/endless-headers', 'tooLarge'],
    ['/gzip-bomb', 'tooLarge'],
    ['/br-bomb', 'tooLarge'],
    ['/double-bomb', 'tooLarge'],
    ['/many-layers', 'unreachable'],
    ['/cut-gzip', 'unreachable'],
    ['/false-br', 'unreachable'],
    ['/short-body', 'unreachable'],
    ['/no-http', 'unreachable'],
    ['/two-lengths', 'unreachable'],
    ['/upgrade', 'unreachable'],
    ['/closed', 'unreachable'],
  ])('%s ends the call with %s', async (path, reason) => {
    const server = closing(await anEvilServer());

    const failure = await failureOf(loopback().send(aRequest(server, path, { maxAnswerBytes: 100_000 })));

    expect(failure.reason).toBe(reason);
    expect(failure.message).toMatch(/^[A-Z1].*\.$/);
  });

  it.each(['/silent', '/drip', '/drip-headers', '/drip-redirect'])('%s ends with the time limit', async (path) => {
    const server = closing(await anEvilServer());

    const failure = await failureOf(loopback().send(aRequest(server, path, { timeoutMs: 150 })));

    expect(failure.reason).toBe('timeout');
    expect(failure.message).toBe('The call took longer than 0.15 seconds.');
  });

  it('does not change what objects are', async () => {
    const answer = await loopback().send(aRequest(closing(await anEvilServer()), '/proto-header'));

    expect(Object.entries(answer.headers)).toContainEqual(['constructor', 'c']);
    expect(Object.getPrototypeOf(answer.headers)).toBe(Object.prototype);
  });

  it('leaves the client as it was for the next call', async () => {
    const server = closing(await anEvilServer());
    const http = loopback();
    await failureOf(http.send(aRequest(server, '/endless', { maxAnswerBytes: 1_000 })));

    expect(text((await http.send(aRequest(server, '/gzip'))).body)).toBe('text');
  });
});

describe('a redirect', () => {
  const toNext = (port: number, status = 302) =>
    aRecorder((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${port}/end` }).end('x'),
    );

  it('does not take credentials to another origin', async () => {
    const end = closing(await aRecorder());
    const start = closing(await toNext(end.port, 307));
    const headers = { authorization: 'Bearer s', cookie: 'a=b', 'x-api-key': 's', 'content-type': 'text/plain' };

    const answer = await loopback().send(aRequest(start, '/', { method: 'POST', body: 'x', headers }));

    expect(answer.status).toBe(200);
    expect(start.seen[0]?.headers).toMatchObject(headers);
    expect(end.seen).toMatchObject([
      { method: 'POST', url: '/end', body: 'x', headers: { 'content-type': 'text/plain' } },
    ]);
    expect(Object.keys(end.seen[0]?.headers ?? {})).toEqual(
      expect.not.arrayContaining(['authorization', 'cookie', 'x-api-key']),
    );
  });

  it('is the answer when it is not to be followed', async () => {
    const end = closing(await aRecorder());
    const start = closing(await toNext(end.port));

    const answer = await loopback().send(aRequest(start, '/', { followRedirects: false }));

    expect(answer).toMatchObject({ status: 302, headers: { location: `http://127.0.0.1:${end.port}/end` } });
    expect(end.connections()).toBe(0);
  });

  it('is followed five times and no more', async () => {
    const hops = (most: number) =>
      aRecorder(({ url = '' }, response) => {
        const hop = Number(url.slice(1));
        response.writeHead(hop < most ? 302 : 200, { location: `/${hop + 1}` }).end();
      });
    const five = closing(await hops(5));
    const six = closing(await hops(6));

    expect((await loopback().send(aRequest(five, '/0'))).status).toBe(200);
    expect((await failureOf(loopback().send(aRequest(six, '/0')))).reason).toBe('tooManyRedirects');
    expect(six.seen).toHaveLength(6);
  });
});

describe('stopping an outbound call', () => {
  it('ends it at once, and the connection with it', async () => {
    const stop = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const server = closing(
      await anHttpServer((request) => {
        closed = new Promise((resolve) => request.socket.once('close', resolve));
        stop.abort();
      }),
    );

    const failure = await failureOf(loopback().send(aRequest(server, '/', { signal: stop.signal })));
    await closed;

    expect(failure.reason).toBe('aborted');
  });

  it('sends nothing when it was stopped before', async () => {
    const server = closing(await aRecorder());

    const failure = await failureOf(loopback().send(aRequest(server, '/', { signal: AbortSignal.abort() })));

    expect(failure.reason).toBe('aborted');
    expect(server.connections()).toBe(0);
  });

  it('does not wait for a name that is never found', async () => {
    const guard = new AddressGuard({ lookup: () => new Promise(() => undefined) });

    const failure = await failureOf(
      closing(new GuardedHttp(guard)).send({ method: 'GET', url: 'http://slow.dnstest.invalid/', timeoutMs: 50 }),
    );

    expect(failure.reason).toBe('timeout');
  });
});

describe('the connection', () => {
  it('goes to the address that was checked, and a name that changes its address is checked anew', async () => {
    const dns = closing(await aDnsServer());
    const server = closing(await aRecorder((_request, response) => response.setHeader('connection', 'close').end()));
    dns.set('changing.dnstest.invalid', [['A', '93.184.215.14']], [['A', '127.0.0.1']]);
    const connectTo = buildConnector({});
    const addresses: string[] = [];
    const connector: typeof connectTo = (options, callback) => {
      addresses.push(options.hostname);
      connectTo({ ...options, hostname: '127.0.0.1', port: String(server.port) }, callback);
    };
    const http = closing(new GuardedHttp(new AddressGuard({ lookup: dns.lookup }), { connector }));
    const request = { method: 'GET', url: 'http://changing.dnstest.invalid/' };

    const first = await http.send(request);
    const second = await failureOf(http.send(request));

    expect(first.status).toBe(200);
    expect(server.seen[0]?.headers.host).toBe('changing.dnstest.invalid');
    expect(second.reason).toBe('refused');
    expect(addresses).toEqual(['93.184.215.14']);
    expect(dns.lookupsOf('changing.dnstest.invalid')).toBe(2);
  });

  it('takes the next address when one does not answer', async () => {
    const server = closing(await aRecorder());
    const lookup = () => Promise.resolve([{ address: '127.0.0.2' }, { address: '127.0.0.1' }]);
    const guard = new AddressGuard({ allowList: parseAllowList('127.0.0.0/8'), lookup });

    const answer = await closing(new GuardedHttp(guard)).send({
      method: 'GET',
      url: `http://two.dnstest.invalid:${server.port}/`,
    });

    expect(answer.status).toBe(200);
  });

  it('that nobody takes is told without the address', async () => {
    const server = await aRecorder();
    await server.close();
    const guard = new AddressGuard({
      allowList: parseAllowList('127.0.0.1'),
      lookup: () => Promise.resolve([{ address: '127.0.0.1' }]),
    });
    const url = `http://gone.dnstest.invalid:${server.port}/`;

    const failure = await failureOf(closing(new GuardedHttp(guard)).send({ method: 'GET', url }));

    expect(failure.reason).toBe('unreachable');
    expect(failure.message).toBe(`gone.dnstest.invalid:${server.port} refuses the connection.`);
  });
});
