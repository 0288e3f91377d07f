import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

export interface TestServer {
  readonly port: number;
  /** How many connections were made so far. */
  readonly connections: () => number;
  /** How many connections were open at the same time at most. */
  readonly mostAtOnce: () => number;
  readonly close: () => Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function listening(server: Server, host: string, port = 0): Promise<TestServer> {
  const open = new Set<Socket>();
  let connections = 0;
  let mostAtOnce = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    mostAtOnce = Math.max(mostAtOnce, open.size);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    mostAtOnce: () => mostAtOnce,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

export const anHttpServer = (listener: RequestListener, host = '127.0.0.1', port = 0): Promise<TestServer> =>
  listening(createHttpServer({ keepAliveTimeout: 60_000 }, listener), host, port);

/** A server at one port of 127.0.0.1 and [::1] that must not be called. Tests check that it has no connections. */
export async function aCanary(): Promise<TestServer> {
  const sing: RequestListener = (_request, response) => response.end('canary');
  const four = await anHttpServer(sing);
  const six = await anHttpServer(sing, '::1', four.port);
  return {
    ...four,
    connections: () => four.connections() + six.connections(),
    close: async () => void (await Promise.all([four.close(), six.close()])),
  };
}

/** Answers `/r?code=302&to=<url>` with a redirect. */
export const aRedirector = (): Promise<TestServer> =>
  anHttpServer((request, response) => {
    const url = request.url ?? '';
    const location = url.slice(url.indexOf('to=') + 3);
    response.writeHead(Number(/code=(\d+)/.exec(url)?.[1]), { location }).end();
  });

/** A server that keeps the requests it gets. It answers by `answer`, or with 200. */
export async function aRecorder(answer?: RequestListener): Promise<TestServer & { readonly seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server = await anHttpServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      if (answer) answer(request, response);
      else response.end('seen');
    });
  });
  return { ...server, seen };
}

const MB = 1024 * 1024;
const whole = (headers: string, body: Buffer | string = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);

/** Writes for as long as the other side reads. */
function writeForEver(socket: Socket, begin: string, piece: string): void {
  socket.write(begin);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** Writes a byte every few milliseconds, without end. */
function drip(socket: Socket, begin: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write('x'), 5);
  socket.on('close', () => clearInterval(timer));
}

const zeros = Buffer.alloc(16 * MB);

const HOSTILE: Readonly<Record<string, (socket: Socket) => void>> = {
  '/endless': (socket) =>
    writeForEver(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `10000\r\n${'x'.repeat(65_536)}\r\n`),
  '/big-headers': (socket) => socket.write(whole(`x-big: ${'x'.repeat(MB)}\r\n`)),
  '/endless-headers': (socket) => writeForEver(socket, 'HTTP/1.1 200 OK\r\n', `x-more: ${'x'.repeat(1_000)}\r\n`),
  '/short-body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'),
  '/long-announced': (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${5000 * MB}\r\n\r\n`),
  '/deep-json': (socket) => socket.write(whole('', '['.repeat(100_000) + ']'.repeat(100_000))),
  '/proto-json': (socket) => socket.write(whole('', '{"__proto__":{"polluted":true}}')),
  '/proto-header': (socket) => socket.write(whole('__proto__: a\r\n__proto__: b\r\nconstructor: c\r\n')),
  '/silent': () => undefined,
  '/drip': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
  '/drip-headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: '),
  '/drip-redirect': (socket) =>
    drip(socket, 'HTTP/1.1 302 Found\r\nlocation: /deep-json\r\ncontent-length: 10000\r\n\r\n'),
  '/gzip-bomb': (socket) => socket.write(whole('content-encoding: gzip\r\n', gzipSync(zeros))),
  '/br-bomb': (socket) => socket.write(whole('content-encoding: br\r\n', brotliCompressSync(zeros))),
  '/double-bomb': (socket) => socket.write(whole('content-encoding: gzip, gzip\r\n', gzipSync(gzipSync(zeros)))),
  '/many-layers': (socket) => socket.write(whole('content-encoding: gzip, gzip, gzip\r\n', 'x')),
  '/cut-gzip': (socket) => socket.write(whole('content-encoding: gzip\r\n', gzipSync('cut off').subarray(0, 15))),
  '/false-br': (socket) => socket.write(whole('content-encoding: br\r\n', 'this is not compressed')),
  '/no-http': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  '/two-lengths': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
  '/upgrade': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  '/closed': (socket) => socket.destroy(),
  '/gzip': (socket) => socket.write(whole('content-encoding: gzip\r\n', gzipSync('text'))),
  '/deflate': (socket) => socket.write(whole('content-encoding: deflate\r\n', deflateSync('text'))),
  '/br': (socket) => socket.write(whole('content-encoding: br\r\n', brotliCompressSync('text'))),
  '/br-gzip': (socket) => socket.write(whole('content-encoding: br, gzip\r\n', gzipSync(brotliCompressSync('text')))),
  '/unknown-coding': (socket) => socket.write(whole('content-encoding: zstd\r\n', 'text')),
};

/** A server whose answers a correct HTTP server would never send. */
export const anEvilServer = (): Promise<TestServer> =>
  listening(
    createServer((socket) => {
      socket.on('data', (piece: Buffer) => {
        const path = /^\w+ (\S+) HTTP/.exec(piece.toString('latin1'))?.[1];
        if (path !== undefined) HOSTILE[path]?.(socket);
      });
    }),
    '127.0.0.1',
  );
