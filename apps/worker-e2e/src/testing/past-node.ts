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
const connectedBy = (handle, ...to) => new Promise((resolve, reject) => {
  const request = new Request();
  request.oncomplete = (status) => (status === 0 ? resolve('reached') : reject(new Error('status ' + status)));
  const code = Object.getPrototypeOf(handle).connect.call(handle, request, ...to);
  if (code) reject(new Error('code ' + code));
});
const { target } = context.propsValue;`;

/** What a program reaches when nothing but Node's permission model is in its way. */
export interface PastNode {
  readonly does: string;
  readonly program: string;
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
      const Tcp = net._createServerHandle('127.0.0.1', 0, 4).constructor;
      return connectedBy(new Tcp(0), '127.0.0.1', target.port);`,
    walls: ['network'],
  },
  {
    does: 'connects to a local socket by a handle',
    program: `${HANDLES} return connectedBy(new Pipe(0), target.path);`,
    walls: ['files'],
  },
  {
    does: 'signals its worker',
    program: 'process.kill(context.propsValue.target.worker, 0); return "reached";',
    walls: ['processes', 'user'],
  },
];

/** How such a program must end on a machine with these walls. Says which wall is missing when it is not held. */
export function endingBehind(there: readonly PieceWall[], { does, walls }: PastNode): 'held' | 'reached' {
  if (walls.some((wall) => there.includes(wall))) return 'held';
  console.warn(`This machine has no own ${walls.join(' or ')} for packages, so one of them ${does}.`);
  return 'reached';
}
