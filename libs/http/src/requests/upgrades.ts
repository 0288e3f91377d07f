import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorAnswer } from '../errors/error-answer';
import type { RefusedAnswers } from '../errors/refused-answers';

/** The connections that no longer belong to their server. */
const taken = new WeakSet<Duplex>();

/** Whether a connection was passed on as a WebSocket. */
export const isTaken = (socket: Duplex): boolean => taken.has(socket);

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Passes requests for a WebSocket to `take`. A server may ignore any other upgrade, for example `h2c`: such a request
 * is read again without its upgrade and answered like other requests. So is a request for a WebSocket that is not a GET,
 * that has a body, or whose address has no WebSocket.
 */
export function takeOnlyWebSockets(
  server: Server,
  take: UpgradeListener,
  hasWebSocket: (address: string) => boolean = () => true,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (asksForWebSocket(request) && hasWebSocket(request.url ?? '')) {
      taken.add(socket);
      take(request, socket, head);
    } else readAgain(server, request, socket, head);
  });
}

/** How long a client may take to close its side of a connection that has ended here. */
const CLOSE_WITHIN_MS = 2_000;

/**
 * Ends a connection that was taken from the server. What was written still arrives. The rest of what the client sends is
 * read and dropped: an unread end would keep the socket open for ever. A client that does not close its side is cut off.
 */
export function endConnection(client: Duplex, lastBytes = ''): void {
  if (client.writable) client.end(lastBytes);
  client.resume();
  const cut = setTimeout(() => client.destroy(), CLOSE_WITHIN_MS);
  client.once('close', () => clearTimeout(cut));
}

/**
 * Answers a request for a WebSocket with an error, and counts that. A client that has gone gets no answer.
 */
export function refuseWebSocket(client: Duplex, error: unknown, refused: RefusedAnswers): void {
  if (client.destroyed || !client.writable) return;
  const requestId = randomUUID();
  const { body, headers } = errorAnswer(error, requestId);
  refused.add(body.code);
  const text = JSON.stringify(body);
  const lines = {
    ...headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
  endConnection(
    client,
    [`HTTP/1.1 ${body.statusCode} ${STATUS_CODES[body.statusCode]}`, ...head, '', text].join('\r\n'),
  );
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
