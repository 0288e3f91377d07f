// Slow clients, in three kinds: a third send their headers a byte a second, a third their body, and a third ask for large
// answers without reading one. Says `ready` when all are connected, and at the end how many the service has cut off.
import { once } from 'node:events';
import { connect } from 'node:net';

const EVERY_MS = 1_000;
const NOTICED_WITHIN_MS = 3_000;
/** More than the buffers of a connection hold. */
const LARGE_ANSWERS = 20;

/** What a client of each kind writes at once, and then a byte of each second. */
const kinds = (path, host) => {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return [
    { atOnce: '', slowly: head },
    { atOnce: `${head}Content-Length: 1000\r\n\r\n`, slowly: '{'.padEnd(1_000) },
    { atOnce: `GET /api/v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(LARGE_ANSWERS), slowly: '' },
  ];
};

process.once('message', async ({ url, clients }) => {
  const { hostname, port, pathname, host } = new URL(url);
  const every = kinds(pathname, host);
  const cut = [0, 0, 0];
  const sockets = await Promise.all(
    Array.from({ length: clients }, async (_, n) => {
      const kind = every[n % every.length];
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      socket.once('close', () => cut[n % every.length]++);
      await once(socket, 'connect');
      socket.write(kind.atOnce);
      if (kind.slowly) socket.resume(); // notices when it is cut off
      let at = 0;
      const dripping = setInterval(
        () => socket.writable && at < kind.slowly.length && socket.write(kind.slowly[at++]),
        EVERY_MS,
      );
      socket.once('close', () => clearInterval(dripping));
      return socket;
    }),
  );
  process.send?.('ready');
  await once(process, 'message');
  // Who reads nothing does not notice that it is cut off.
  for (const socket of sockets) socket.resume();
  await new Promise((resolve) => setTimeout(resolve, NOTICED_WITHIN_MS));
  const [headers, body, unread] = cut;
  for (const socket of sockets) socket.destroy();
  process.send?.({ cut: { headers, body, unread } }, () => process.disconnect());
});
