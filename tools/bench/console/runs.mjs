// The list of runs while runs are made all the time: what the page asks the service for, what it uses, and how old what it
// shows is.
import { setTimeout as wait } from 'node:timers/promises';
import { code, trigger } from '../../flow-steps.mjs';
import { load } from '../measure.mjs';
import { quantile } from '../quantile.mjs';
import { usageDuring } from './browser.mjs';
import { ageOfCount, momentOfRun, totalIn } from './currency.mjs';
import { publishFlow } from './publish-flow.mjs';

const RATE = 1_000;
const CONNECTIONS = 64;
/** The sender keeps the moments of all that it sent, and is begun anew before they are many. */
const SENDER_SECONDS = 60;
/** A person looks at the page at other moments than those at which it changes. */
const LOOK_AFTER_MS = { least: 2_000, most: 6_000 };
const SUM = 'export const code = async ({ prices }) => prices.reduce((sum, price) => sum + price, 0);';

/** @type {import('./bench-console.mjs').Part} */
export async function measureRuns({ call, browser, service: { base }, minutes }) {
  const { id: projectId } = await call('POST', '/projects', { displayName: 'Orders' });
  const flow = trigger(code('sum', SUM, { prices: [1, 2] }, undefined));
  const flowId = await publishFlow(call, { projectId, displayName: 'Order intake', trigger: flow });
  const sender = senderTo(`${base}/api/v1/webhooks/${flowId}`);
  await sender.send(2);
  const page = await browser.visit();
  await page.goto(`/runs?projectId=${projectId}`);
  await page
    .getByRole('row', { name: /Order intake/ })
    .first()
    .waitFor();
  await sender.send(5); // what the page keeps grows until it has all that it shows
  let requests = 0;
  page.on('request', () => requests++);
  /** @type {Look[]} */
  let looks = [];
  let sent = 0;
  let seconds = 0;
  const usage = await usageDuring(page, browser, async () => {
    const from = performance.now();
    const sending = sender.send(minutes * 60);
    looks = await looksDuring(page, sending);
    sent = await sending;
    seconds = (performance.now() - from) / 1_000; // more than it was to take when the service cannot keep up
  });
  await page.context().close();
  await call('DELETE', `/flows/${flowId}`);
  return figuresOf({ seconds, requests, sent, usage, looks, moments: sender.moments.sort((a, b) => a - b) });
}

/** Sends webhooks, and knows the moments at which runs were accepted. */
function senderTo(url) {
  /** @type {number[]} */
  const moments = [];
  return {
    moments,
    /** Returns how many were accepted. */
    async send(seconds) {
      const before = moments.length;
      for (let left = seconds; left > 0; left -= SENDER_SECONDS) {
        const duration = Math.min(left, SENDER_SECONDS);
        const { answered } = await load('paced-load.mjs', url, { duration, connections: CONNECTIONS, rate: RATE });
        for (const [id] of answered) moments.push(momentOfRun(id));
      }
      return moments.length - before;
    },
  };
}

/**
 * @typedef {{ at: number, newest: string, counts: string[] }} Look the newest run that the page shows, and its counts
 */

/** What a person sees who comes back to the page. New runs wait behind a button, which is then pressed. */
const LOOK = `(async () => {
  const at = Date.now();
  const counts = [...document.querySelectorAll('[role=group][aria-label=Status] button')].map((each) => each.textContent);
  const news = [...document.querySelectorAll('main button')].find((each) => /new runs?\\b.* show$/.test(each.textContent));
  news?.click();
  await new Promise((seen) => setTimeout(() => requestAnimationFrame(seen)));
  const newest = document.querySelector('main tbody a[href^="/runs/"]').pathname.slice('/runs/'.length);
  return { at, newest, counts };
})()`;

async function looksDuring(page, sending) {
  const looks = [];
  let isOver = false;
  void sending.finally(() => (isOver = true));
  while (!isOver) {
    await wait(LOOK_AFTER_MS.least + Math.random() * (LOOK_AFTER_MS.most - LOOK_AFTER_MS.least));
    if (!isOver) looks.push(/** @type {Look} */ (await page.evaluate(LOOK)));
  }
  return looks;
}

function figuresOf({ seconds, requests, sent, usage, looks, moments }) {
  const rowAges = looks.map(({ at, newest }) => at - momentOfRun(newest));
  const countAges = looks.map(({ at, counts }) => ageOfCount(moments, { count: totalIn(counts), at }));
  return [
    {
      what: `requests while ${Math.round(sent / seconds)} runs come`,
      unit: '/s',
      value: requests / seconds,
      atMost: 2,
    },
    { what: 'of a core, in the process of the page', unit: '%', value: usage.cpuMs / (10 * seconds), atMost: 10 },
    { what: '– on its main thread', unit: '%', value: usage.mainThreadMs / (10 * seconds) },
    { what: `heap grows in ${Math.round(seconds)} s by`, unit: 'MB', value: usage.grownMb, atMost: 10 },
    { what: `newest run is behind, p50 of ${looks.length} looks`, unit: 'ms', value: quantile(rowAges, 0.5) },
    { what: '– at most', unit: 'ms', value: quantile(rowAges, 1), atMost: 2_000 },
    { what: 'counts are behind, p50', unit: 'ms', value: quantile(countAges, 0.5) },
    { what: '– at most', unit: 'ms', value: quantile(countAges, 1) },
  ];
}
