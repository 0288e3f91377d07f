// The list of runs while runs are made all the time: what the page asks the service for, and what it uses.
import { code, trigger } from '../../flow-steps.mjs';
import { load } from '../measure.mjs';
import { usageDuring } from './browser.mjs';

const RATE = 1_000;
const SECONDS = 60;
const CONNECTIONS = 64;
const SUM = 'export const code = async ({ prices }) => prices.reduce((sum, price) => sum + price, 0);';

/** @type {import('./bench-console.mjs').Part} */
export async function measureRuns({ call, projectId, browser, service: { base } }) {
  const flowId = await publish(call, projectId);
  const send = (duration) =>
    load('paced-load.mjs', `${base}/api/v1/webhooks/${flowId}`, { duration, connections: CONNECTIONS, rate: RATE });
  await send(2);
  const page = await browser.visit();
  await page.goto(`/runs?projectId=${projectId}`);
  await page
    .getByRole('row', { name: /Order intake/ })
    .first()
    .waitFor();
  await send(5); // what the page keeps grows until it has all that it shows
  let requests = 0;
  page.on('request', () => requests++);
  let ok = 0;
  const { mainThreadMs, grownMb } = await usageDuring(page, async () => {
    ({ ok } = await send(SECONDS));
  });
  await page.context().close();
  await call('DELETE', `/flows/${flowId}`);
  return [
    { what: `requests while ${Math.round(ok / SECONDS)} runs come`, unit: '/s', value: requests / SECONDS, atMost: 2 },
    { what: 'of a core, in the page', unit: '%', value: mainThreadMs / (10 * SECONDS), atMost: 10 },
    { what: `heap grows in ${SECONDS} s by`, unit: 'MB', value: grownMb, atMost: 10 },
  ];
}

async function publish(call, projectId) {
  const { id } = await call('POST', '/flows', { projectId, displayName: 'Order intake' });
  const version = { displayName: 'Order intake', trigger: trigger(code('sum', SUM, { prices: [1, 2] }, undefined)) };
  await call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request: { ...version, schemaVersion: '20', notes: [] } });
  await call('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  return id;
}
