import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isTaken } from './upgrades';

/**
 * Cuts a connection on which no request has come for so long after the last answer. Node cuts one that is silent, but
 * each line that a client sends begins that time again, and empty lines before a request begin no request, so they have
 * no deadline either. Before the first request they have that of its headers.
 */
export function cutIdleConnections(server: Server, afterMs: number, checkEveryMs: number): void {
  /** When the last answer on each connection ended, in this order. Those with a request under way are not here. */
  const idleSince = new Map<Socket, number>();
  const newest = new WeakMap<Socket, ServerResponse>();
  server.on('connection', (socket: Socket) => socket.once('close', () => idleSince.delete(socket)));
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idleSince.delete(socket);
    newest.set(socket, response);
    response.once('close', () => {
      if (newest.get(socket) === response && !socket.destroyed) idleSince.set(socket, performance.now());
    });
  });
  const checking = setInterval(() => {
    const before = performance.now() - afterMs;
    for (const [socket, since] of idleSince) {
      if (since > before) break;
      idleSince.delete(socket);
      if (!isTaken(socket)) socket.destroy();
    }
  }, checkEveryMs).unref();
  server.once('close', () => clearInterval(checking));
}
