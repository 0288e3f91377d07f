import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait. A client that sends more at once will not read their answers either. */
export const MOST_WAITING = 100;
/** Requests at these addresses are the gateway's own, mostly. Webhooks need not wait for one another. */
const WEBHOOKS = '/api/v1/webhooks/';

/**
 * Lets requests wait until an earlier request on their connection, which the api answers, is answered. Node hands over all
 * requests of a client that does not wait for its answers, and sends the answers in order. So a client that reads none
 * would let the api prepare many. The requests wait before the app sees them, because clients that send many at once would
 * keep it busy for hundreds of milliseconds. They are dropped when their client has gone. A connection on which too many
 * wait is cut: HTTP/1.1 lets a server close it at any time, and Node reads on when it is only paused.
 */
export class PipelinedRequests {
  /** The requests that wait, by the connections on which an earlier one is not answered. */
  private readonly waiting = new WeakMap<Socket, (() => void)[]>();

  /** Takes the place of the listeners that the server has for its requests. They get each request when it need not wait. */
  constructor(server: Server) {
    const listeners = server.listeners('request');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.admit(request.socket, () => {
        if (!request.url?.startsWith(WEBHOOKS)) this.letLaterOnesWait(request.socket, response);
        for (const listener of listeners) listener.call(server, request, response);
      }),
    );
  }

  /** A hook for requests that the api answers. Some of them have the address of a webhook. */
  readonly onRequest = ({ raw: { socket } }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (!this.waiting.has(socket)) this.letLaterOnesWait(socket, reply.raw);
    done();
  };

  private admit(socket: Socket, handOver: () => void): void {
    const waiting = this.waiting.get(socket);
    if (!waiting) return handOver();
    if (socket.destroyed) return; // Node still hands over what it read before the connection was cut
    if (waiting.length < MOST_WAITING) waiting.push(handOver);
    else socket.destroy();
  }

  private letLaterOnesWait(socket: Socket, response: ServerResponse): void {
    const waiting: (() => void)[] = [];
    this.waiting.set(socket, waiting);
    response.once('close', () => {
      if (socket.destroyed) return;
      this.waiting.delete(socket);
      for (const handOver of waiting) this.admit(socket, handOver);
    });
  }
}
