// An open loop, like real senders: requests are sent at an even rate, however late the answers come. Latency counts
// from the planned moment of a request. autocannon does not fit, because its rate limit sends a second's requests in
// one burst.
import { Agent, request } from 'node:http';
import { quantile } from './quantile.mjs';

process.once('message', async ({ url, headers, body, rate, duration, connections }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
  const latencies = [];
  /** The moment at which each run was answered. The database has the same clock, because it runs on this machine. */
  const answered = [];
  /** How many requests got each status, or ended with each error code. */
  const outcomes = {};
  let failed = 0;
  const count = (outcome) => (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);

  /** @returns {Promise<void>} */
  const send = (planned) =>
    new Promise((resolve) => {
      const sent = request(url, options, (answer) => {
        answer.resume();
        answer.once('end', () => {
          const now = performance.now();
          count(answer.statusCode);
          if (answer.statusCode === 200) {
            latencies.push(now - planned);
            answered.push([answer.headers['x-webhook-id'], performance.timeOrigin + now]);
          } else failed++;
          resolve();
        });
      });
      sent.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        count(error.code);
        failed++;
        resolve();
      });
      sent.end(body);
    });

  const start = performance.now();
  const total = rate * duration;
  const underWay = [];
  await new Promise((resolve) => {
    const tick = () => {
      const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1_000));
      while (underWay.length < due) underWay.push(send(start + ((underWay.length + 1) * 1_000) / rate));
      if (underWay.length < total) setTimeout(tick, 1);
      else resolve(undefined);
    };
    tick();
  });
  await Promise.all(underWay);
  const result = {
    ok: latencies.length,
    answered,
    failed,
    outcomes,
    latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), max: quantile(latencies, 0.9999) },
  };
  process.send?.(result, () => process.disconnect());
});
