import type { IncomingMessage, ServerResponse } from 'node:http';
import { discard } from './discard-pace';

// A request may be answered before its body has come. Who is cut off while still sending sees a broken connection and not
// the answer; so after the answer our half is closed, and what comes is thrown away until the sender has ended or the time
// is over. It is read at a pace that leaves the process time for those that it takes.

/** How long what a sender still sends is thrown away. */
const LINGER_MS = 30_000;

/** To be called before an answer is sent whose request may not have been read to its end. */
export function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent || request.socket.destroyed) return;
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  response.setHeader('connection', 'close');
  socket.destroySoon = () => {
    if (request.complete) return destroySoon();
    socket.end();
    const deadline = setTimeout(() => socket.destroy(), LINGER_MS);
    request.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(deadline));
    discard(request);
  };
}

/** Whether the sender waits for `100 Continue` before it sends its body. HTTP/1.0 has no such answer. */
const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersion !== '1.0';

/** To be called before a body is read; who is refused is answered instead, and need not send it. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (expectsContinue(request) && !response.headersSent) response.writeContinue();
}
