import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait. A client that sends more at once will not read their answers either. */
export const MOST_WAITING = 100;

interface Connection {
  /** When the newest request is answered. */
  newest: Promise<void>;
  waiting: number;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Lets a request wait until the earlier ones on its connection are answered. Node hands over all requests of a client that
 * does not wait for its answers, and sends the answers in order. So a client that reads none would let the api prepare
 * many. A request whose client has gone is dropped. A connection on which too many wait is cut: HTTP/1.1 lets a server
 * close it at any time, and Node reads on when it is only paused.
 */
export function waitForEarlierAnswers(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  if (socket.destroyed) return; // Node still hands over what it read before the connection was cut
  const connection = connections.get(socket);
  const answered = new Promise<void>((resolve) => reply.raw.once('close', resolve));
  if (!connection) {
    connections.set(socket, { newest: answered, waiting: 0 });
    return done();
  }
  if (++connection.waiting > MOST_WAITING) return void socket.destroy();
  void connection.newest.then(() => {
    connection.waiting--;
    if (!socket.destroyed) done();
  });
  connection.newest = answered;
}
