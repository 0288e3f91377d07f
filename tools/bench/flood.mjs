// Sends webhooks as fast as the service takes them. Each body names a moment of its own, for which the run may wait.
import { Agent, request } from 'node:http';

const CONNECTIONS = 64;

process.once('message', async ({ url, amount, from, spreadMs }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let failed = 0;
  let sent = 0;
  /** @returns {Promise<void>} */
  const send = (n) =>
    new Promise((resolve) => {
      const body = JSON.stringify({ n, until: new Date(from + (spreadMs * n) / amount).toISOString() });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sending = request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        if (answer.statusCode !== 200) failed++;
        answer.once('end', () => resolve());
      });
      sending.once('error', () => {
        failed++;
        resolve();
      });
      sending.end(body);
    });
  const sendOneAfterAnother = async () => {
    while (sent < amount) await send(sent++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendOneAfterAnother));
  process.send?.({ amount, failed });
  process.disconnect();
});
