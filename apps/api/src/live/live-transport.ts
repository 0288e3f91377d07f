import type { IncomingMessage } from 'node:http';
import type { LiveSocket, LiveSocketServer } from './live-messages';

/** A client that is asked to close its connection and does not is cut off after this time. */
export const GOODBYE_MS = 1_000;

/** What is used of engine.io's connection below a client. Its types do not show all of it. */
export interface LiveTransport {
  readonly writeBuffer: readonly unknown[];
  /** The socket is there over WebSocket alone. It outlives the connection until the client has closed it too. */
  readonly transport: { socket?: WebSocketBelow };
  readonly request: IncomingMessage;
  close(discard: boolean): void;
  once(event: 'close', listener: () => void): void;
}

interface WebSocketBelow {
  readonly readyState: number;
  readonly CLOSED: number;
  terminate(): void;
  once(event: 'close', listener: () => void): void;
}

/**
 * Cuts off clients that are asked to close and do not, also those whose WebSocket has never become a connection. The
 * server of WebSockets would wait for them for half a minute, and engine.io cannot be told otherwise.
 */
export function hurryGoodbyes({ engine }: LiveSocketServer): void {
  (engine as unknown as { ws: { options: { closeTimeout: number } } }).ws.options.closeTimeout = GOODBYE_MS;
}

export const transportOf = ({ conn }: LiveSocket): LiveTransport => conn as unknown as LiveTransport;

/** Ends the connection at once. A goodbye would wait behind what the client has not read, and for its answer. */
export function drop(connection: LiveTransport): void {
  const { socket } = connection.transport;
  connection.close(true);
  socket?.terminate();
}

/** Calls the function when nothing is left of the connection, also not a socket that the client has not closed yet. */
export function whenGone(connection: LiveTransport, gone: () => void): void {
  connection.once('close', () => {
    const { socket } = connection.transport;
    if (!socket || socket.readyState === socket.CLOSED) gone();
    else socket.once('close', gone);
  });
}
