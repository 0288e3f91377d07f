import type { PieceWall } from '@millrace/domain';

/**
 * Finds a class of handles of Node, and the class of a request to connect, which Node makes for a connection of ours. By
 * them a package connects without the worker.
 */
const HANDLES = `
const net = require('net');
const Pipe = process.stdout._handle.constructor;
const { connect } = Pipe.prototype;
let Request;
Pipe.prototype.connect = function (request, ...more) { Request = request.constructor; return connect.call(this, request, ...more); };
await new Promise((done) => net.connect(80, 'api.millrace.internal').on('connect', done).on('error', done));
Pipe.prototype.connect = connect;
if (!Request) throw new Error('There is no way past Node.js, so nothing was tried.');
const endingOf = (code) => (code === 0 ? 'reached' : require('util').getSystemErrorName(code));
const connectedBy = (handle, ...to) => new Promise((resolve) => {
  const request = new Request();
  request.oncomplete = (status) => resolve(endingOf(status));
  const code = Object.getPrototypeOf(handle).connect.call(handle, request, ...to);
  if (code) resolve(endingOf(code));
});
const { target } = context.propsValue;`;

/**
 * What a program reaches when nothing but Node's permission model is in its way. It answers `reached`, or with the code
 * by which the system refuses it. It fails where it could not try.
 */
export interface PastNode {
  readonly does: string;
  readonly program: string;
  /** How the system refuses it, by one of these walls. */
  readonly refusal: RegExp;
  /** Each of these walls holds it. */
  readonly walls: readonly PieceWall[];
}

/** The target of these programs: a port of this machine, a local socket, and the process of the worker. */
export interface TargetsPastNode {
  readonly port: number;
  readonly path: string;
  readonly worker: number | null;
}

export const PAST_NODE: readonly PastNode[] = [
  {
    does: 'connects to the database by a handle',
    program: `${HANDLES}
      const listening = net._createServerHandle('0.0.0.0', 0, 4);
      if (typeof listening === 'number') throw new Error('There is no class of sockets, so nothing was tried.');
      return connectedBy(new listening.constructor(0), '127.0.0.1', target.port);`,
    refusal: /^(ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL)$/,
    walls: ['network'],
  },
  {
    does: 'connects to a local socket by a handle',
    program: `${HANDLES} return connectedBy(new Pipe(0), target.path);`,
    refusal: /^ENOENT$/,
    walls: ['files'],
  },
  {
    does: 'signals its worker',
    program: `
      const { worker } = context.propsValue.target;
      if (!Number.isInteger(worker)) throw new Error('There is no worker to signal.');
      try { process.kill(worker, 0); return 'reached'; } catch ({ code }) { return code; }`,
    refusal: /^(ESRCH|EPERM)$/,
    walls: ['processes', 'user'],
  },
];

/** How such a program must end on a machine with these walls. Says which wall is missing when it is not held. */
export function endingBehind(there: readonly PieceWall[], { does, walls, refusal }: PastNode): RegExp {
  if (walls.some((wall) => there.includes(wall))) return refusal;
  console.warn(`This machine has no own ${walls.join(' or ')} for packages, so one of them ${does}.`);
  return /^reached$/;
}
