// A closed loop: each connection sends its next request when it has the answer to the one before.
import { Agent, request } from 'node:http';
import { quantile } from './quantile.mjs';

process.once('message', async ({ url, headers, body, connections, duration }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
  const latencies = [];
  let failed = 0;

  /** @returns {Promise<void>} */
  const send = () =>
    new Promise((resolve) => {
      const start = performance.now();
      const sent = request(url, options, (answer) => {
        answer.resume();
        answer.once('end', () => {
          if (answer.statusCode === 200) latencies.push(performance.now() - start);
          else failed++;
          resolve();
        });
      });
      sent.once('error', () => {
        failed++;
        resolve();
      });
      sent.end(body);
    });

  const start = performance.now();
  const isOver = () => performance.now() - start > duration * 1_000;
  const sendOneAfterAnother = async () => {
    while (!isOver()) await send();
  };
  await Promise.all(Array.from({ length: connections }, sendOneAfterAnother));
  const seconds = (performance.now() - start) / 1_000;
  agent.destroy();
  const latency = { p50: quantile(latencies, 0.5, 2), p99: quantile(latencies, 0.99, 2) };
  process.send?.({ ok: latencies.length, failed, seconds, latency }, () => process.disconnect());
});
