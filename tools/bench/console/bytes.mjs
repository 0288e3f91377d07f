// What the list of flows, the editor and the field for code transfer when nothing is in the cache of the browser.
import { sum } from '../measure.mjs';
import { filesDuring } from './browser.mjs';
import { makeFlow } from './large-flow.mjs';

/** @typedef {import('playwright-core').Page} Page */

// Compressed as for browsers that know nothing better. Others are sent about a tenth less.
const GZIP = { extraHTTPHeaders: { 'accept-encoding': 'gzip' } };

/** @type {import('./bench-console.mjs').Part} */
export async function measureBytes(bench) {
  const flowId = await makeFlow(10, bench);
  const [list] = await cold(bench, [
    async (page) => {
      await page.goto('/flows');
      await page.getByRole('row', { name: /10 steps/ }).waitFor();
    },
  ]);
  const [editor, settings, code] = await cold(bench, [
    async (page) => {
      await page.goto(`/flows/${flowId}`);
      await page.getByRole('button', { name: /^Step 1\b/ }).waitFor();
    },
    (page) => openSettings(page, /^Catch webhook/, page.getByRole('combobox', { name: 'Authentication' })),
    (page) => openSettings(page, /^Step 1\b/, page.getByRole('textbox', { name: 'Code' })),
  ]);
  await bench.call('DELETE', `/flows/${flowId}`);
  return [
    { what: 'first load of /flows, gz', unit: 'kB', value: list, atMost: 170 },
    { what: 'first load of the editor, gz', unit: 'kB', value: editor, atMost: 250 },
    { what: '– then the settings of a step', unit: 'kB', value: settings },
    { what: '– then the field for code', unit: 'kB', value: code, atMost: 170 },
  ];
}

async function openSettings(page, step, field) {
  await page.getByRole('button', { name: step }).click();
  await field.waitFor();
}

/**
 * The kilobytes that each piece of work loads, one after the other in a browser that has nothing.
 * @param {import('./bench-console.mjs').Bench} bench
 * @param {((page: Page) => Promise<void>)[]} work
 */
async function cold({ browser }, work) {
  const page = await browser.visit(GZIP);
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  const kilobytes = [];
  for (const each of work) kilobytes.push(sum(await filesDuring(page, () => each(page))) / 1_000);
  await page.context().close();
  return kilobytes;
}
