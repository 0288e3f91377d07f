import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A server on a thread of its own, so that it goes on while this thread stands still. */
export interface PartingServer {
  readonly port: number;
  /** Blocks this thread until the server has closed the connection on which it answered last. */
  readonly standStillUntilItLeaves: () => void;
  readonly close: () => Promise<unknown>;
}

const SOURCE = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const hasLeft = new Int32Array(workerData);
  const server = createServer((request, response) => {
    response.end('{}', () => setTimeout(() => request.socket.destroy(), 300));
    request.socket.once('close', () => {
      Atomics.store(hasLeft, 0, 1);
      Atomics.notify(hasLeft, 0);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** Starts a server that lets connections be used again, and closes each a little after its answer. */
export async function aPartingServer(): Promise<PartingServer> {
  const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const thread = new Worker(SOURCE, { eval: true, workerData: memory });
  const [port] = (await once(thread, 'message')) as [number];
  return {
    port,
    standStillUntilItLeaves: () => void Atomics.wait(new Int32Array(memory), 0, 0),
    close: () => thread.terminate(),
  };
}
