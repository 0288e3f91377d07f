import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Gives requests for a WebSocket to who takes them. Any other upgrade, such as `h2c`, is a wish that a server
 * may ignore: the request is read once more, without it, and answered like all others. So is a request that could be no
 * WebSocket, since these begin with a GET without a body.
 */
export function takeOnlyWebSockets(server: Server, take: UpgradeListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (asksForWebSocket(request)) take(request, socket, head);
    else readAgain(server, request, socket, head);
  });
}

const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  method === 'GET' &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

const OF_UPGRADE = new Set(['connection', 'upgrade', 'http2-settings']);

/** Node has let go of the connection: it is as good as new, with the request at its beginning. */
function readAgain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!OF_UPGRADE.has(rawHeaders[i]?.toLowerCase() ?? '')) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
