import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Passes requests for a WebSocket to `take`. A server may ignore any other upgrade, for example `h2c`: such a request
 * is read again without its upgrade and answered like other requests. So is a request for a WebSocket that is not a GET
 * or that has a body.
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

/** Gives the connection back to the server as a new one that begins with the request. Node has detached it before. */
function readAgain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!OF_UPGRADE.has(rawHeaders[i]?.toLowerCase() ?? '')) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
