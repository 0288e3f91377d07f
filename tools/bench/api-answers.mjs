// Asks the api all the time, to learn how long its answers take beside other work.
import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from './quantile.mjs';

const ASK_EVERY_MS = 20;

/** Asks the api for a page of flows and of runs in turn, until it is stopped. Resolves with the times of the answers. */
export function askApi(service) {
  const { apiKey, projectId } = service.credentials;
  const times = [];
  let isStopped = false;
  const asking = (async () => {
    for (let n = 0; !isStopped; n++) {
      const path = n % 2 === 0 ? 'flows' : 'flow-runs';
      const from = performance.now();
      const answer = await fetch(`${service.base}/api/v1/${path}?projectId=${projectId}&limit=10`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      await answer.text();
      if (!answer.ok) throw new Error(`The list of ${path} answered ${answer.status}.`);
      times.push(performance.now() - from);
      await wait(ASK_EVERY_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await asking;
    return times;
  };
}

export const quantiles = (values) => ({
  p50: quantile(values, 0.5),
  p95: quantile(values, 0.95),
  most: quantile(values, 1),
});
