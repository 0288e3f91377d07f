import { builtInStep, codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const THROWS_AT_THREE = `export const code = async ({ item }) => {
  console.log('got', item);
  if (item === 3) throw new Error('<b>three</b>');
  return { item };
};`;

/** A page that asks again and again does so more often. Twice this is much less than a connection may be silent. */
const WHILE_MS = 4_000;
const MARK = '/api/v1/health/live';
/** Lets time pass in the page. Its requests are sent before the one that marks the end. */
const passTime = async (page: Page) => {
  await page.clock.fastForward(WHILE_MS);
  await page.evaluate(`fetch('${MARK}')`);
};
/** Whether the service says that a room was entered: the answer of socket.io to the first question. */
const isEntered = ({ payload }: { payload: string | Buffer }) => String(payload).startsWith('430[{"room":"project"');

describe('runs', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Orders');
  });

  const rows = (page: Page) => page.getByRole('table', { name: 'Runs' }).getByRole('row');
  const filtersOf = (page: Page) => [...new URL(page.url()).searchParams].filter(([name]) => name !== 'projectId');
  /** A flow that fails at the item 3, in a project of its own. */
  const publish = async () => {
    const projectId = await person.client.createProject('Runs');
    const each = loop('each', '{{trigger.body.items}}', [codeStep('tell', { item: '{{each.item}}' }, THROWS_AT_THREE)]);
    const { id } = await person.client.publishFlow(projectId, 'Order intake', webhookTrigger([each]));
    const run = async (items: number[]) => (await person.client.sendWebhook(id, { items })).body.id;
    return { projectId, run };
  };

  it('are listed with their status in words, and filtered by it in the address', async () => {
    const { projectId, run } = await publish();
    await person.client.endedRun(await run([1]));
    await person.client.endedRun(await run([1, 3]));
    const { page } = await visit();
    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await rows(page).filter({ hasText: 'Succeeded' }).waitFor();

    await page.getByRole('button', { name: 'Failed 1' }).click();

    await rows(page).filter({ hasText: 'Succeeded' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^Failed.*tell: Error: <b>three<\/b>/ }).waitFor();
    expect(filtersOf(page)).toEqual([['status', 'FAILED']]);
    await expectAccessible(page);
  });

  it('are found again by a view that was saved in this browser', async () => {
    const { projectId } = await publish();
    const { page } = await visit();
    await signInTo(page, `/runs?projectId=${projectId}&status=FAILED`, person);

    await page.getByRole('button', { name: 'Save view…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Only failures');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await page.goto(`/runs?projectId=${projectId}`);
    await page.getByRole('combobox', { name: 'Saved views' }).selectOption('Only failures');

    await page.getByRole('button', { name: 'Failed 0', pressed: true }).waitFor();
    expect(filtersOf(page)).toEqual([['status', 'FAILED']]);
    await page.getByRole('button', { name: 'Forget this view' }).click();
    await page.getByRole('combobox', { name: 'Saved views' }).waitFor({ state: 'detached' });
  });

  it('are drawn over time, under the filters of the list', async () => {
    const { projectId, run } = await publish();
    await person.client.endedRun(await run([1]));
    await person.client.endedRun(await run([3]));
    const { page } = await visit();

    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await page.getByRole('img', { name: /^2 runs from .*, 1 of them failed; most failed within / }).waitFor();
    await page.getByRole('button', { name: 'Succeeded 1' }).click();

    await page.getByRole('img', { name: /^1 run from .*, 0 of them failed\.$/ }).waitFor();
  });

  it('that are new wait behind a button, so that nothing moves under the reader', async () => {
    const { projectId, run } = await publish();
    await person.client.endedRun(await run([1]));
    const { page } = await visit();
    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await rows(page).nth(1).waitFor();

    await person.client.endedRun(await run([2]));
    await person.client.endedRun(await run([3]));

    const news = page.getByRole('button', { name: '2 new runs — show' });
    await news.waitFor();
    expect(await rows(page).count()).toBe(1 + 1);
    await news.click();
    await rows(page).nth(3).waitFor();
  });

  it('are heard of over one connection, and nothing is asked for while nothing happens', async () => {
    const { projectId, run } = await publish();
    await person.client.endedRun(await run([1]));
    const { page } = await visit();
    await page.clock.install();
    const entered = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived', isEntered));
    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await entered;

    await person.client.endedRun(await run([2]));
    await page.getByRole('button', { name: '1 new run — show' }).waitFor();
    await page.getByRole('button', { name: 'Succeeded 2' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // What follows from the run may rest before it is asked for. A page that polls is never quiet for so long.
    for (let tries = 0; tries < 3 && asked.length !== 1; tries++) {
      asked.splice(0);
      await passTime(page);
    }

    expect(asked).toEqual([MARK]);
  });

  it('are asked for again and again when the connection is cut', async () => {
    const { projectId, run } = await publish();
    await person.client.endedRun(await run([1]));
    const { page } = await visit();
    await page.routeWebSocket(/socket\.io/, (socket) => void socket.close());
    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await rows(page).nth(1).waitFor();

    await person.client.endedRun(await run([2]));

    await page.getByRole('button', { name: '1 new run — show' }).waitFor();
  });

  it('change in their row when they end', async () => {
    const projectId = await person.client.createProject('Waits');
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', {});
    const { id: flowId } = await person.client.publishFlow(projectId, 'Refund', webhookTrigger([ask]));
    const { id } = (await person.client.sendWebhook(flowId, {})).body;
    const { page } = await visit();
    await signInTo(page, `/runs?projectId=${projectId}`, person);
    await rows(page).filter({ hasText: 'Paused' }).waitFor();

    await person.client.must('POST', '/flow-runs/cancel', { projectId, flowRunIds: [id] });

    await rows(page).filter({ hasText: 'Stopped' }).waitFor();
  });

  it('are retried by as many as the plan counted', async () => {
    const { projectId, run } = await publish();
    for (const _ of [1, 2]) await person.client.endedRun(await run([3]));
    await person.client.endedRun(await run([1]));
    const { page } = await visit();
    await signInTo(page, `/runs?projectId=${projectId}&status=FAILED`, person);

    await page.getByRole('checkbox', { name: 'Select all runs on this page' }).check();
    await page.getByRole('button', { name: 'Retry…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 2 runs' }).click();

    await page.getByText('2 new runs were started.').waitFor();
  });

  it('say why they failed, and open with the step in its iteration, until another place is in the address', async () => {
    const { run } = await publish();
    const { id } = await person.client.endedRun(await run([1, 2, 3]));
    const { page } = await visit();
    await signInTo(page, `/runs/${id}`, person);

    await page.getByText('Step “tell” failed: Error: <b>three</b>').waitFor();
    const panel = page.getByRole('complementary', { name: 'Step' });
    await panel.getByRole('heading', { name: 'tell' }).waitFor();
    await panel.getByText('Error: <b>three</b>').waitFor();
    expect(filtersOf(page)).toEqual([]);
    await expectAccessible(page);

    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Show the step' }).click();
    await panel.getByText('Error: <b>three</b>').waitFor();
    expect(filtersOf(page)).toEqual([['step', 'each[2].tell']]);
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.goBack();
    await panel.waitFor();

    const iteration = page.getByRole('spinbutton', { name: 'Iteration' });
    expect(await iteration.inputValue()).toBe('3');
    await iteration.fill('2');
    await panel.getByRole('tab', { name: 'Logs' }).click();
    await panel.getByText('got 2').waitFor();

    await page.reload();
    await panel.getByText('got 2').waitFor();
    expect(await iteration.inputValue()).toBe('2');
  });

  it('show what a step waited, and go on by themselves while they are looked at', async () => {
    const projectId = await person.client.createProject('Naps');
    const steps = [
      builtInStep('ask', 'approval', 'wait_for_approval', {}),
      builtInStep('nap', 'delay', 'delay_for', { unit: 'seconds', delayFor: 2 }),
    ];
    const { id: flowId } = await person.client.publishFlow(projectId, 'Refund', webhookTrigger(steps));
    const { id } = await person.client.pausedRun((await person.client.sendWebhook(flowId, {})).body.id);
    const { page } = await visit();
    await signInTo(page, `/runs/${id}`, person);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('button', { name: /^ask.*Paused/ }).waitFor();

    const { waitingOn } = await person.client.must<{ waitingOn?: { requestId?: string } }>('GET', `/flow-runs/${id}`);
    await person.client.must('POST', `/flow-runs/${id}/requests/${waitingOn?.requestId}`, { approved: true });

    await timeline.getByRole('button', { name: /^nap.*waited .* s.*Succeeded/ }).waitFor();
    await timeline.getByText(/^waited .* to begin$/).waitFor();
    await expectAccessible(page);
  });

  it('that are not there show that nothing is', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/flow-runs/);
    await signInTo(page, '/runs/0199f000-0000-7000-8000-000000000001', person);
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  });
});
