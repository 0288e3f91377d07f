// Runs autocannon, a closed loop of requests, in a process of its own, with the options that the parent sends.
import autocannon from 'autocannon';

process.once('message', async (options) => {
  const result = await autocannon(options);
  process.send?.({
    requests: result.requests.total,
    ok: result['2xx'],
    failed: result.non2xx + result.errors + result.timeouts,
    latency: { p50: result.latency.p50, p99: result.latency.p99, p97_5: result.latency.p97_5, max: result.latency.max },
  });
  process.disconnect();
});
