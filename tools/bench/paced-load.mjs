// An open loop, as real senders are: requests leave at an even rate whatever the answers do, and latency counts from the
// planned moment. (autocannon's rate limit sends each second's requests in one burst.)
import { Agent, request } from 'node:http';

const quantile = (sorted, share) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1));

process.once('message', async ({ url, headers, body, rate, duration, connections }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
  const latencies = [];
  let failed = 0;

  const send = (planned) =>
    new Promise((resolve) => {
      const sent = request(url, options, (answer) => {
        answer.resume();
        answer.once('end', () => {
          if (answer.statusCode === 200) latencies.push(performance.now() - planned);
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
  const total = rate * duration;
  const underWay = [];
  await new Promise((resolve) => {
    const tick = () => {
      const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1_000));
      while (underWay.length < due) underWay.push(send(start + ((underWay.length + 1) * 1_000) / rate));
      if (underWay.length < total) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
  await Promise.all(underWay);
  latencies.sort((a, b) => a - b);
  process.send({
    ok: latencies.length,
    failed,
    latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), max: quantile(latencies, 0.9999) },
  });
  process.disconnect();
});
