// The flow editor: how soon a large flow is shown, and how smoothly it moves.
import { setTimeout as wait } from 'node:timers/promises';
import { costOf, framesDuring, heapMbOf } from './browser.mjs';
import { makeFlow } from './large-flow.mjs';

const TURNS = 120;

/** @type {import('./bench-console.mjs').Part} */
export async function measureEditor(bench) {
  const page = await bench.browser.visit();
  const figures = [];
  await open(page, await makeFlow(200, bench)); // warms the caches of the browser
  figures.push(...(await smoothness(bench.browser, page, { steps: 200, atMost: 20 })));
  const large = await makeFlow(500, bench);
  const shown = await costOf(bench.browser, () => open(page, large));
  figures.push({ what: '500 steps: shown after', unit: 'ms', value: shown.ms, atMost: 1_500 });
  figures.push({ what: '– CPU of the page', unit: 'ms', value: shown.cpuMs });
  await open(page, await makeFlow(1_000, bench));
  figures.push(...(await smoothness(bench.browser, page, { steps: 1_000, atMost: 34 })));
  figures.push({ what: '1,000 steps: heap', unit: 'MB', value: await heapMbOf(page) });
  await page.context().close();
  return figures;
}

/** Opens the editor, and resolves when the flow can be seen and its outline used. */
async function open(page, id) {
  await page.goto(`/flows/${id}`);
  await page.getByRole('button', { name: /^Catch webhook/ }).waitFor();
  await page.getByRole('treeitem', { name: /^Catch webhook/ }).waitFor();
}

async function smoothness(browser, page, { steps, atMost }) {
  const named = steps.toLocaleString('en');
  const drag = await movement(browser, page, dragAround);
  const zoom = await movement(browser, page, zoomOutAndIn);
  const longestTask = Math.max(drag.longestTask, zoom.longestTask);
  return [
    { what: `${named} steps: frame while dragging, p95`, unit: 'ms', value: drag.p95, atMost },
    { what: '– CPU of the page for a move', unit: 'ms', value: drag.cpuMs },
    { what: `${named} steps: frame while zooming, p95`, unit: 'ms', value: zoom.p95, atMost },
    { what: '– CPU of the page for a turn of the wheel', unit: 'ms', value: zoom.cpuMs },
    { what: `${named} steps: longest task of both`, unit: 'ms', value: longestTask, atMost: 100 },
  ];
}

/** How smooth some moves are, and the processor time of each. `move` returns how many it has made. */
async function movement(browser, page, move) {
  let frames = { p95: 0, longestTask: 0 };
  let moves = 0;
  const { cpuMs } = await costOf(browser, async () => {
    frames = await framesDuring(page, async () => (moves = await move(page)));
  });
  return { ...frames, cpuMs: cpuMs / moves };
}

/** Drags the picture up, which shows other steps all the time, and back. */
async function dragAround(page) {
  const { x, y, height } = await roomOf(page);
  let moves = 0;
  for (const direction of [-1, 1]) {
    const start = direction < 0 ? y + height - 20 : y + 20;
    await page.mouse.move(x + 20, start);
    await page.mouse.down();
    for (let moved = 0; moved < height - 40; moved += 12) {
      await page.mouse.move(x + 20 + moved / 10, start + direction * moved);
      await wait(12);
      moves++;
    }
    await page.mouse.up();
  }
  return moves;
}

async function zoomOutAndIn(page) {
  const { x, y, width, height } = await roomOf(page);
  await page.mouse.move(x + width / 2, y + height / 3);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, turn < TURNS / 2 ? 24 : -24);
    await wait(16);
  }
  await page.keyboard.up('Control');
  return TURNS;
}

/** @returns {Promise<{ x: number, y: number, width: number, height: number }>} */
async function roomOf(page) {
  return page.getByRole('region', { name: 'Canvas' }).boundingBox();
}
