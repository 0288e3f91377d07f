import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, which could take a port before our process listens. */
const [FIRST, LAST] = [15_000, 32_000];

/** A port of this machine on which no process listens. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST);
  return (await canListen(port)) ? port : freePort();
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
