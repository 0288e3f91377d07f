// The flow editor: how soon a large flow is shown, how smoothly it moves, and how soon typed letters are seen.
import { setTimeout as wait } from 'node:timers/promises';
import { framesDuring, heapMbOf, keyToScreen } from './browser.mjs';
import { largeFlow } from './large-flow.mjs';

/** @typedef {import('playwright-core').Page} Page */

const NAME = { text: 'A name that a person types, neither slowly nor in a hurry', everyMs: 60 };

/** @type {import('./bench-console.mjs').Part} */
export async function measureEditor(bench) {
  const page = await bench.browser.visit();
  const figures = [];
  await open(page, await flowOf(200, bench)); // warms the caches of the browser
  figures.push(...(await smoothness(page, 200, 20)));
  const { shown, typed } = await shownAndTyped(page, await flowOf(500, bench));
  figures.push({ what: '500 steps: shown after', unit: 'ms', value: shown, atMost: 1_500 });
  figures.push({ what: '500 steps: key to screen, p95', unit: 'ms', value: typed, atMost: 50 });
  await open(page, await flowOf(1_000, bench));
  figures.push(...(await smoothness(page, 1_000, 34)));
  const heapMb = await heapMbOf(page);
  figures.push({ what: '1000 steps: heap', unit: 'MB', value: heapMb, atMost: 150 });
  await page.context().close();
  return figures;
}

/** Makes a flow of so many steps. Returns its id. */
async function flowOf(steps, { call, projectId }) {
  const displayName = `${steps} steps`;
  const { id } = await call('POST', '/flows', { projectId, displayName });
  const request = { displayName, trigger: largeFlow(steps), schemaVersion: '20', notes: [] };
  await call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
  return id;
}

/** Opens the editor, and resolves when the flow can be seen and its outline used. */
async function open(page, id) {
  await page.goto(`/flows/${id}`);
  await page.getByRole('button', { name: /^Catch webhook/ }).waitFor();
  await page.getByRole('treeitem', { name: /^Catch webhook/ }).waitFor();
}

async function shownAndTyped(page, id) {
  const from = performance.now();
  await open(page, id);
  const shown = performance.now() - from;
  await page.getByRole('button', { name: /^Step 1\b/ }).click();
  await page.getByRole('complementary', { name: 'Step settings' }).getByRole('textbox', { name: 'Name' }).focus();
  return { shown, typed: await keyToScreen(page, NAME) };
}

async function smoothness(page, steps, atMost) {
  const drag = await framesDuring(page, () => dragAround(page));
  const zoom = await framesDuring(page, () => zoomOutAndIn(page));
  return [
    { what: `${steps} steps: frame while dragging, p95`, unit: 'ms', value: drag.p95, atMost },
    { what: `${steps} steps: frame while zooming, p95`, unit: 'ms', value: zoom.p95, atMost },
    {
      what: `${steps} steps: longest task of both`,
      unit: 'ms',
      value: Math.max(drag.longestTask, zoom.longestTask),
      atMost: 100,
    },
  ];
}

/** Drags the picture up, which shows other steps all the time, and back. */
async function dragAround(page) {
  const { x, y, height } = await roomOf(page);
  for (const direction of [-1, 1]) {
    const start = direction < 0 ? y + height - 20 : y + 20;
    await page.mouse.move(x + 20, start);
    await page.mouse.down();
    for (let moved = 0; moved < height - 40; moved += 12) {
      await page.mouse.move(x + 20 + moved / 10, start + direction * moved);
      await wait(12);
    }
    await page.mouse.up();
  }
}

async function zoomOutAndIn(page) {
  const { x, y, width, height } = await roomOf(page);
  await page.mouse.move(x + width / 2, y + height / 3);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 120; turn++) {
    await page.mouse.wheel(0, turn < 60 ? 24 : -24);
    await wait(16);
  }
  await page.keyboard.up('Control');
}

/** @returns {Promise<{ x: number, y: number, width: number, height: number }>} */
async function roomOf(page) {
  return page.getByRole('region', { name: 'Canvas' }).boundingBox();
}
