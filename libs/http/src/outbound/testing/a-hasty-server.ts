import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const server = require('node:net').createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', () => {
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok');
    setTimeout(() => socket.end(), 50);
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/**
 * A server that closes a connection 50 ms after an answer without having said so. It has a thread of its own, so it
 * also does that while the thread of the test stands still.
 */
export async function aHastyServer(): Promise<{ port: number; close(): Promise<unknown> }> {
  const thread = new Worker(PROGRAM, { eval: true });
  const [port] = (await once(thread, 'message')) as [number];
  return { port, close: () => thread.terminate() };
}
