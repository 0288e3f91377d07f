// The browser in which the console is measured, and what is measured of its pages.
import { chromium } from 'playwright-core';
import { CannotContinue } from '../../progress.mjs';
import { findChromium } from '../../testing/chromium.mjs';
import { quantile } from '../quantile.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Starts Chromium. `visit` opens a page in a browser that nobody has used before, and signs in as administrator. */
export async function openBrowser({ base, credentials: { adminEmail, adminPassword } }) {
  const executablePath = findChromium();
  if (!executablePath) throw new CannotContinue('The PATH has no Chromium, and MILLRACE_CHROMIUM names none.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    /** @returns {Promise<Page>} */
    async visit(/** @type {import('playwright-core').BrowserContextOptions} */ options = {}) {
      const context = await browser.newContext({
        baseURL: base,
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      const page = await context.newPage();
      await page.goto('/sign-in');
      await page.getByRole('textbox', { name: 'E-mail' }).fill(adminEmail);
      await page.getByLabel('Password').fill(adminPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      return page;
    },
    close: () => browser.close(),
  };
}

/** Collects the times between frames and the tasks that keep the page from answering. */
const WATCH_FRAMES = `(() => {
  const seen = (window.millraceFrames = { frames: [], tasks: [], isOver: false });
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  let last;
  const tick = (now) => {
    if (last !== undefined) seen.frames.push(now - last);
    last = now;
    if (!seen.isOver) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})()`;
const FRAMES = '(() => { millraceFrames.isOver = true; return millraceFrames; })()';

/**
 * How smoothly the page moves during some work, in milliseconds: the 95th of a hundred frames, and the longest task.
 * @param {Page} page
 * @param {() => Promise<void>} work
 */
export async function framesDuring(page, work) {
  await page.evaluate(WATCH_FRAMES);
  await work();
  const { frames, tasks } = /** @type {{ frames: number[], tasks: number[] }} */ (await page.evaluate(FRAMES));
  return { p95: quantile(frames, 0.95), longestTask: quantile(tasks, 1) };
}

/** Notes the time from each key until the frame that shows it is painted. */
const WATCH_KEYS = `(() => {
  const times = (window.millraceKeys = []);
  addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => times.push(performance.now() - timeStamp);
    port2.postMessage(null);
  }), true);
})()`;

/**
 * Types into what has the focus. Returns the milliseconds from the keys to the screen, of the slowest of twenty.
 * @param {Page} page
 * @param {{ text: string, everyMs: number }} typed
 */
export async function keyToScreen(page, { text, everyMs }) {
  await page.evaluate(WATCH_KEYS);
  await page.keyboard.type(text, { delay: everyMs });
  const times = /** @type {number[]} */ (await page.evaluate('millraceKeys'));
  return quantile(times, 0.95);
}

/**
 * What a page uses during some work: milliseconds of its main thread, and by how many megabytes its heap has grown after
 * a collection.
 * @param {Page} page
 * @param {() => Promise<void>} work
 */
export async function usageDuring(page, work) {
  const session = await page.context().newCDPSession(page);
  // The time of tasks counts from here. It is time of the processor, which others do not lengthen.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await metricsOf(session);
  await work();
  const after = await metricsOf(session);
  await session.detach();
  return { mainThreadMs: after.mainThreadMs - before.mainThreadMs, grownMb: after.heapMb - before.heapMb };
}

/**
 * The megabytes of a page's heap after a collection.
 * @param {Page} page
 */
export async function heapMbOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const { heapMb } = await metricsOf(session);
  await session.detach();
  return heapMb;
}

async function metricsOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (wanted) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return { mainThreadMs: of('TaskDuration') * 1_000, heapMb: of('JSHeapUsedSize') / 1_000_000 };
}

/**
 * The bytes of the answers during some work, as they were sent, without those of the API.
 * @param {Page} page
 * @param {() => Promise<void>} work
 */
export async function bytesDuring(page, work) {
  const requests = [];
  const note = (request) => requests.push(request);
  page.on('requestfinished', note);
  await work();
  page.off('requestfinished', note);
  const files = requests.filter((request) => !new URL(request.url()).pathname.startsWith('/api/'));
  const sizes = await Promise.all(files.map(async (file) => (await file.sizes()).responseBodySize));
  return sizes.reduce((sum, size) => sum + size, 0);
}
