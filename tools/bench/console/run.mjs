// One run: how soon it is shown when it has many iterations or a large output, and what the page holds then.
import { setTimeout as wait } from 'node:timers/promises';
import { code, loop, trigger } from '../../flow-steps.mjs';
import { costOf, framesDuring, heapMbOf, msOf } from './browser.mjs';
import { publishFlow } from './publish-flow.mjs';

const ITERATIONS = 10_000;
const LATE = 9_000;
const RUN_MAY_TAKE_MS = 120_000;
const SQUARE = 'export const code = async ({ n }) => n * n;';
/** About 10 MB of JSON. */
const ROWS = 50_000;
const MANY_ROWS = `export const code = async ({ count }) => ({
  rows: Array.from({ length: count }, (_, n) => ({ id: n, article: 'lamp', text: 'x'.repeat(150), price: n / 100 })),
});`;

/** @type {import('./bench-console.mjs').Part} */
export async function measureRun(bench) {
  return [...(await manyIterations(bench)), ...(await largeOutput(bench))];
}

async function manyIterations(bench) {
  const body = code('square', SQUARE, { n: '{{loop.item}}' }, undefined);
  const runId = await endedRun(bench, {
    trigger: trigger(loop('{{trigger.body.numbers}}', body, undefined)),
    payload: { numbers: Array.from({ length: ITERATIONS }, (_, n) => n) },
  });
  const page = await bench.browser.visit();
  const steps = page.getByRole('list', { name: 'Timeline' });
  const iteration = page.getByRole('spinbutton', { name: 'Iteration' });
  const step = steps.getByRole('button', { name: /^square/ });
  const shown = await costOf(bench.browser, async () => {
    await page.goto(`/runs/${runId}`);
    await iteration.waitFor();
    await step.waitFor();
  });
  const heapMb = await heapMbOf(page);
  await step.click();
  const panel = page.getByRole('complementary', { name: 'Step' });
  await panel.getByText('iteration 1', { exact: false }).waitFor();
  const turned = await msOf(async () => {
    await iteration.fill(String(LATE));
    await panel.getByText(`iteration ${LATE}`, { exact: false }).waitFor();
  });
  await page.context().close();
  return [
    { what: '10,000 iterations: shown after', unit: 'ms', value: shown.ms, atMost: 1_500 },
    { what: '– CPU of the page', unit: 'ms', value: shown.cpuMs },
    { what: '10,000 iterations: heap', unit: 'MB', value: heapMb, atMost: 150 },
    { what: '10,000 iterations: another one shown after', unit: 'ms', value: turned },
  ];
}

async function largeOutput(bench) {
  const runId = await endedRun(bench, {
    trigger: trigger(code('rows', MANY_ROWS, { count: ROWS }, undefined)),
    payload: {},
  });
  const page = await bench.browser.visit();
  const step = page.getByRole('list', { name: 'Timeline' }).getByRole('button', { name: /^rows/ });
  const shown = await costOf(bench.browser, async () => {
    await page.goto(`/runs/${runId}`);
    await step.waitFor();
  });
  await step.click();
  const panel = page.getByRole('complementary', { name: 'Step' });
  const ask = panel.getByRole('button', { name: /^Load / });
  await ask.waitFor();
  let loaded = { ms: 0, cpuMs: 0 };
  const { longestTask } = await framesDuring(page, async () => {
    loaded = await costOf(bench.browser, async () => {
      await ask.click();
      await panel.getByRole('region', { name: 'Output' }).getByText('50,000 items').waitFor();
    });
  });
  const heapMb = await heapMbOf(page);
  await page.context().close();
  return [
    { what: '10 MB output: run shown after', unit: 'ms', value: shown.ms, atMost: 1_500 },
    { what: '– CPU of the page', unit: 'ms', value: shown.cpuMs },
    { what: '10 MB output: shown after the click', unit: 'ms', value: loaded.ms, atMost: 1_500 },
    { what: '– CPU of the page', unit: 'ms', value: loaded.cpuMs },
    { what: '10 MB output: longest task', unit: 'ms', value: longestTask },
    { what: '10 MB output: heap', unit: 'MB', value: heapMb, atMost: 150 },
  ];
}

/** Publishes a flow, sends it a webhook and waits until its run has ended. Returns the id of the run. */
async function endedRun({ call, projectId, service: { base } }, { trigger, payload }) {
  const flowId = await publishFlow(call, { projectId, displayName: 'Order intake', trigger });
  const answer = await fetch(`${base}/api/v1/webhooks/${flowId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  const { id } = /** @type {{ id: string }} */ (await answer.json());
  const deadline = Date.now() + RUN_MAY_TAKE_MS;
  while (Date.now() < deadline) {
    const { data } = await call('GET', `/flow-runs?projectId=${projectId}&flowRunIds=${id}`);
    if (data[0]?.status === 'SUCCEEDED') return id;
    if (data[0] && data[0].status !== 'RUNNING') throw new Error(`Run ${id} has ended as ${data[0].status}.`);
    await wait(200);
  }
  throw new Error(`Run ${id} had not ended after ${RUN_MAY_TAKE_MS / 1_000} s.`);
}
