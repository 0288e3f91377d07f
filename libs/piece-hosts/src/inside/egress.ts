import dgram from 'node:dgram';
import net from 'node:net';
import tls from 'node:tls';
import type { Line } from '../process/line';

/**
 * Gives a host its way out. Every TCP connection in this process, whichever client makes it, becomes a question to the
 * worker, which names a local socket that is joined to the checked target. This is how a piece gets out, and not what
 * keeps it in: that is the empty network of the process.
 */
export function replaceConnections(openWay: OpenWay, ways: Line): void {
  const connectOverWay = connectorOver(openWay, ways);

  /** Clients look up `net` and `tls` when they connect, or have kept `net.connect` since before; all reach this method. */
  function connectByWorker(this: net.Socket, ...args: unknown[]): net.Socket {
    const [options, callback] = normalized(args);
    const target = options[TARGET] ?? (options.path ? null : options);
    if (!target) return destroyedLater(this, refusal('Local sockets cannot be reached from a piece.'));
    if (callback) this.once('connect', callback);
    return connectOverWay(this, target);
  }

  net.Socket.prototype.connect = connectByWorker;
  replaceTls();
  refuse(dgram, 'createSocket', 'Datagrams cannot be sent from a piece.');
  refuse(net.Server.prototype, 'listen', 'A piece cannot listen for connections.');
}

/** Connects sockets by the ways that the worker opens, so many at once. */
function connectorOver(openWay: OpenWay, ways: Line): (socket: net.Socket, target: Target) => net.Socket {
  const { connect } = net.Socket.prototype as unknown as Connects;
  const take = (path: string, host: string, socket: net.Socket): void => {
    if (socket.destroyed) return leave(path);
    Object.assign(socket, { _host: host }); // whom TLS checks the certificate for, when it begins on an open connection
    connect.call(socket, { path });
  };
  /** Takes a way that nobody wants any more and closes it, so that another may have its place. */
  const leave = (path: string): void => {
    const socket = new net.Socket().on('error', () => undefined).once('connect', () => socket.destroy());
    connect.call(socket, { path });
  };
  return (socket, { host = 'localhost', port }) => {
    Object.assign(socket, { connecting: true });
    const begin = (): void => {
      if (socket.destroyed) return process.nextTick(() => ways.end());
      const refuse = ({ message, code }: NodeJS.ErrnoException): void => void socket.destroy(refusal(message, code));
      void openWay(String(host), Number(port))
        .then((path) => take(path, host, socket), refuse)
        .finally(() => ways.end());
    };
    ways.add({ bytes: 0, begin });
    return socket;
  };
}

type OpenWay = (host: string, port: number) => Promise<string>;

const TARGET = Symbol('target');

interface Target {
  readonly host?: string;
  readonly port?: number | string;
}

type Options = Target & { readonly path?: string; readonly socket?: unknown; readonly [TARGET]?: Target };
type Callback = (() => void) | null | undefined;

interface Connects {
  readonly connect: (this: net.Socket, ...args: unknown[]) => net.Socket;
}

interface NormalizesArguments {
  readonly _normalizeArgs: (this: void, args: readonly unknown[]) => [Options, Callback];
}

/** The forms of arguments that `connect` of sockets takes. Node itself passes them normalized, as an array. */
function normalized(args: readonly unknown[]): [Options, Callback] {
  const { _normalizeArgs: normalize } = net as unknown as NormalizesArguments;
  const [first] = args;
  return Array.isArray(first) && first.length <= 2 && typeof first[0] === 'object'
    ? (first as [Options, Callback])
    : normalize(args);
}

/**
 * A TLS socket takes its handle before it connects. A path makes it take that of a local socket. Certificates are
 * always checked: published bundles set NODE_TLS_REJECT_UNAUTHORIZED to 0 for their whole process, and drivers agree
 * with any name in the certificate. Which name they expect is theirs to say (`servername`).
 */
function replaceTls(): void {
  const connect = tls.connect as (...args: unknown[]) => tls.TLSSocket;
  const checks = { rejectUnauthorized: true, checkServerIdentity: tls.checkServerIdentity };
  const connectChecked = (...args: unknown[]): tls.TLSSocket => {
    const [given, callback] = normalized(args);
    const more = args.slice(1, 3).filter((arg) => typeof arg === 'object' && arg !== null);
    const options = Object.assign({}, given, ...more, checks) as Options;
    if (options.socket || options.path) return connect(options, callback ?? undefined);
    const { host = 'localhost', port } = options;
    return connect({ ...options, host, path: '/', [TARGET]: { host, port } }, callback ?? undefined);
  };
  tls.connect = connectChecked;
}

const refuse = (owner: object, name: string, message: string): void =>
  void Object.assign(owner, {
    [name]: () => {
      throw refusal(message);
    },
  });

function destroyedLater(socket: net.Socket, error: Error): net.Socket {
  process.nextTick(() => socket.destroy(error));
  return socket;
}

const refusal = (message: string, code = 'EACCES'): Error => Object.assign(new Error(message), { code });
