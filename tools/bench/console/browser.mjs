// The browser in which the console is measured, and what is measured of its pages.
import { chromium } from 'playwright-core';
import { CannotContinue } from '../../progress.mjs';
import { findChromium } from '../../testing/chromium.mjs';
import { cpuMsByRole } from '../processes.mjs';
import { quantile } from '../quantile.mjs';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('playwright-core').BrowserContextOptions} ContextOptions
 */

/** Starts Chromium. Each page is in a context of its own, which nobody has used before. */
export async function openBrowser({ base, credentials: { adminEmail, adminPassword } }) {
  const executablePath = findChromium();
  if (!executablePath) throw new CannotContinue('The PATH has no Chromium, and MILLRACE_CHROMIUM names none.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });

  /** Opens the page that asks who it is, and fills it in. */
  const atTheDoor = async (/** @type {ContextOptions} */ options = {}) => {
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ baseURL: base, viewport, ...options });
    const page = await context.newPage();
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(adminEmail);
    await page.getByLabel('Password').fill(adminPassword);
    return page;
  };
  return {
    atTheDoor,
    /** Opens a page, and signs in as administrator. */
    async visit(/** @type {ContextOptions} */ options = {}) {
      const page = await atTheDoor(options);
      await enter(page);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      return page;
    },
    /** Returns a function that says how many milliseconds of a processor the processes of all pages have used. */
    async pagesCpuMs() {
      const session = await browser.newBrowserCDPSession();
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      await session.detach();
      const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
      return () => cpuMsByRole([{ role: 'pages', pids }]).pages;
    },
    version: () => browser.version(),
    close: () => browser.close(),
  };
}

/** Signs in, at the door. */
export const enter = (/** @type {Page} */ page) => page.getByRole('button', { name: 'Sign in' }).click();

/**
 * The milliseconds that some work takes.
 * @param {() => Promise<unknown>} work
 */
export async function msOf(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/**
 * The milliseconds that some work takes, and those of a processor that the pages use meanwhile: others on the machine do
 * not lengthen these.
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser whose pages stay in their processes
 * @param {() => Promise<unknown>} work
 */
export async function costOf(browser, work) {
  const cpuMs = await browser.pagesCpuMs();
  const before = cpuMs();
  const ms = await msOf(work);
  return { ms, cpuMs: cpuMs() - before };
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
 * @param {() => Promise<unknown>} work
 */
export async function framesDuring(page, work) {
  await page.evaluate(WATCH_FRAMES);
  await work();
  const { frames, tasks } = /** @type {{ frames: number[], tasks: number[] }} */ (await page.evaluate(FRAMES));
  return { p95: quantile(frames, 0.95), longestTask: quantile(tasks, 1) };
}

/**
 * Notes the time from each key that changes the field with the focus until the frame that shows it is painted. The editor
 * of code and expressions takes keys without events of input, so its text is watched as well.
 */
const WATCH_KEYS = `(() => {
  const times = (window.millraceKeys = []);
  let pressed = null;
  const changed = () => {
    const from = pressed;
    pressed = null;
    if (from !== null) requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => times.push(performance.now() - from);
      port2.postMessage(null);
    });
  };
  addEventListener('keydown', ({ timeStamp }) => (pressed = timeStamp), true);
  addEventListener('input', changed, true);
  new MutationObserver(changed)
    .observe(document.activeElement, { subtree: true, childList: true, characterData: true });
})()`;

/**
 * Types into what has the focus. Returns the milliseconds from the keys to the screen, of the slowest of twenty.
 * @param {Page} page that was loaded since the last time
 * @param {{ text: string, everyMs: number }} typed
 */
export async function keyToScreen(page, { text, everyMs }) {
  await page.evaluate(WATCH_KEYS);
  await page.keyboard.type(text, { delay: everyMs });
  const times = /** @type {number[]} */ (await page.evaluate('millraceKeys'));
  if (times.length < text.length / 2)
    throw new Error(`Of ${text.length} keys ${times.length} were seen: the focus is not in a field.`);
  return quantile(times, 0.95);
}

/**
 * What a page uses during some work: milliseconds of a processor in its process, of these on its main thread, and by how
 * many megabytes its heap has grown after a collection.
 * @param {Page} page the only one
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {() => Promise<unknown>} work
 */
export async function usageDuring(page, browser, work) {
  const session = await page.context().newCDPSession(page);
  // The time of tasks counts from here. It is time of the processor, which others do not lengthen.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await metricsOf(session);
  const cpuMs = await browser.pagesCpuMs();
  const cpuBefore = cpuMs();
  await work();
  const usedMs = cpuMs() - cpuBefore;
  const after = await metricsOf(session);
  await session.detach();
  return {
    cpuMs: usedMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    grownMb: after.heapMb - before.heapMb,
  };
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
 * The bytes of each file that the page loads during some work, as it was sent. Answers of the API are not files.
 * @param {Page} page
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Record<string, number>>} by path
 */
export async function filesDuring(page, work) {
  const requests = [];
  const note = (request) => requests.push(request);
  page.on('requestfinished', note);
  await work();
  page.off('requestfinished', note);
  const pathOf = (request) => new URL(request.url()).pathname;
  const files = requests.filter((request) => !pathOf(request).startsWith('/api/'));
  const sizes = files.map(async (file) => [pathOf(file), (await file.sizes()).responseBodySize]);
  return Object.fromEntries(await Promise.all(sizes));
}
