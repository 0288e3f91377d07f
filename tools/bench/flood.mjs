// Sends webhooks as fast as they are taken, each with a moment of its own to wait for.
import { Agent, request } from 'node:http';

const CONNECTIONS = 64;

process.once('message', async ({ url, amount, from, spreadMs }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let failed = 0;
  let sent = 0;
  const send = (n) =>
    new Promise((resolve) => {
      const body = JSON.stringify({ n, until: new Date(from + (spreadMs * n) / amount).toISOString() });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sending = request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        if (answer.statusCode !== 200) failed++;
        answer.once('end', resolve);
      });
      sending.once('error', () => {
        failed++;
        resolve();
      });
      sending.end(body);
    });
  const lane = async () => {
    while (sent < amount) await send(sent++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  process.send({ amount, failed });
  process.disconnect();
});
