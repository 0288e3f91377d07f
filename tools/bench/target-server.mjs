import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '../tcp-ports.mjs';

/** Starts the server that steps call. It runs in this process, which is not measured. */
export async function startTarget() {
  const server = createServer((request, answer) => {
    request.resume();
    request.once('end', () => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
