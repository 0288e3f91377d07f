import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';

/** When the newest answer on each connection has ended. */
const answered = new WeakMap<Socket, Promise<void>>();

/**
 * Lets a request wait until the earlier ones on its connection are answered. Node hands over all requests of a client that
 * does not wait for its answers, and sends the answers in order. So a client that reads none would let the api prepare
 * many. A request whose client has gone is dropped.
 */
export function waitForEarlierAnswers(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const earlier = answered.get(socket);
  answered.set(socket, new Promise((resolve) => reply.raw.once('close', resolve)));
  if (!earlier) done();
  else void earlier.then(() => socket.destroyed || done());
}
