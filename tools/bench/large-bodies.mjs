// W11: measures the gateway's memory, and how long small webhooks wait, while many senders send large webhooks at once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pacedLoad, rssMbOf } from './measure.mjs';

const SENDERS = 32;
const MEGABYTES = 24;

export async function largeBodies(service, db, { large, small }, { seconds, rate }) {
  await pacedLoad(service, db, small, { seconds: 2, rate, connections: 64 });
  const alone = await pacedLoad(service, db, small, { seconds, rate, connections: 64 });
  const rssMbBefore = rssMbOf(service)['webhook-gateway'];
  let peakRssMb = 0;
  const watch = setInterval(() => (peakRssMb = Math.max(peakRssMb, rssMbOf(service)['webhook-gateway'])), 50);
  const senders = fork(fileURLToPath(new URL('large-senders.mjs', import.meta.url)));
  const url = `${service.base}/api/v1/webhooks/${large.id}`;
  senders.send({ url, senders: SENDERS, megabytes: MEGABYTES, seconds });
  const [beside, [answers]] = await Promise.all([
    pacedLoad(service, db, small, { seconds, rate, connections: 64 }),
    once(senders, 'message'),
  ]);
  clearInterval(watch);
  return {
    senders: SENDERS,
    megabytes: MEGABYTES,
    answers,
    gatewayRssMb: { before: rssMbBefore, peak: peakRssMb },
    rate,
    alone: { acknowledgeMs: alone.acknowledgeMs, refused: alone.refused },
    beside: { acknowledgeMs: beside.acknowledgeMs, refused: beside.refused },
  };
}
