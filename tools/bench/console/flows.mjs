// The list of flows: what its first load transfers, and how soon it can be used.
import { bytesDuring } from './browser.mjs';

/** @type {import('./bench-console.mjs').Part} */
export async function measureFlows({ call, projectId, browser }) {
  const { id } = await call('POST', '/flows', { projectId, displayName: 'Order intake' });
  // Compressed as for browsers that know nothing better. Others are sent about a tenth less.
  const page = await browser.visit({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
  const isUsable = () =>
    page
      .getByRole('row', { name: /Order intake/ })
      .first()
      .waitFor();
  await isUsable();
  const firstLoad = await bytesDuring(await cold(page), () => load(page, isUsable));
  const from = performance.now();
  await load(page, isUsable);
  const usable = performance.now() - from;
  await page.context().close();
  await call('DELETE', `/flows/${id}`);
  return [
    { what: 'first load, gz', unit: 'kB', value: firstLoad / 1_000, atMost: 170 },
    { what: 'usable after', unit: 'ms', value: usable, atMost: 1_000 },
  ];
}

/** The page, with nothing in the cache of its browser. */
async function cold(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  return page;
}

async function load(page, isUsable) {
  await page.goto('/flows');
  await isUsable();
}
