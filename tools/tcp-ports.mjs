/** Finds ports on which a server can listen, and the port on which one listens. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, which could take a port before our process listens. */
const [FIRST, LAST] = [15_000, 32_000];

/** @returns {Promise<number>} a port that no program listens on at this moment */
export async function freePort() {
  const port = randomInt(FIRST, LAST);
  return (await canListen(port)) ? port : freePort();
}

/** @returns {Promise<boolean>} */
function canListen(port) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe
      .once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      )
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** @param {import('node:net').Server} server */
export function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}
