import type { IncomingMessage, ServerResponse } from 'node:http';
import { discard } from './discard-pace';

// A request may be answered before its body was received. A client that is cut off while it is still sending sees a
// broken connection and not the answer. So the server closes only its own direction after the answer, and discards the
// rest of the body until the client has ended or a time is over. It reads the rest slowly, to leave time for other
// requests.

/** How long the rest of a body is discarded after the answer. */
const LINGER_MS = 30_000;

/** Must be called before an answer is sent to a request that may not have been read to its end. */
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

/** Tells whether the sender waits for `100 Continue` before it sends its body. HTTP/1.0 does not have that answer. */
const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersion !== '1.0';

/** Asks the sender for its body. It must be called before a body is read, and not for a request that is refused. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (expectsContinue(request) && !response.headersSent) response.writeContinue();
}
