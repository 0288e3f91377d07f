import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { openStep, panelIn } from './testing/step-panel';

const SUM = `export const code = async ({ prices }) => {
  console.log('adding up', prices.length);
  return prices.reduce((all, price) => all + price, 0);
};`;

describe('trying a flow out', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  const newFlow = async (): Promise<string> => {
    const { client, projectId } = person;
    const isLarge = [[{ firstValue: '{{ add_up }}', operator: 'NUMBER_IS_GREATER_THAN' as const, secondValue: 100 }]];
    const steps = [
      codeStep('add_up', { prices: '{{ trigger.body.prices }}' }, SUM),
      loop('each', '{{ trigger.body.prices }}', [codeStep('tell', { price: '{{ each.item }}' })]),
      router('size', [branch('Large', isLarge, [codeStep('large')]), fallback([codeStep('small')])]),
    ];
    return (await client.publishFlow(projectId, 'Order intake', webhookTrigger(steps))).id;
  };
  const withSample = async (prices: number[]): Promise<string> => {
    const id = await newFlow();
    const request = { stepName: 'trigger', type: 'OUTPUT', payload: { body: { prices } } };
    await person.client.must('POST', `/flows/${id}`, { type: 'SAVE_SAMPLE_DATA', request });
    return id;
  };
  const outputOf = (flowId: string, stepName: string) =>
    person.client.must<unknown>('GET', `/sample-data?flowId=${flowId}&stepName=${stepName}&type=OUTPUT`);
  const dialogIn = (page: Page) => page.getByRole('dialog', { name: 'Test flow' });
  const start = (page: Page) => dialogIn(page).getByRole('button', { name: 'Test flow' }).click();
  const card = (page: Page, name: RegExp) => page.getByRole('button', { name });
  const ended = (page: Page) => page.getByRole('status').getByText('Succeeded').waitFor();

  it('tests one step with Ctrl-Enter, also from its fields, and keeps what it gave', async () => {
    const flowId = await withSample([40, 2]);
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'add_up');
    const code = panel.getByRole('textbox', { name: 'Code' });
    await code.press('Control+End');
    await page.keyboard.type('// typed');

    await page.keyboard.press('Control+Enter');

    const result = panel.getByRole('region', { name: 'Test of this step' });
    await result.getByText(/^Succeeded in/).waitFor();
    await result.getByText('adding up 2').waitFor();
    await result.getByRole('region', { name: 'Output' }).getByText('42').waitFor();
    expect(await outputOf(flowId, 'add_up')).toBe(42);
    expect(new URL(page.url()).searchParams.get('tab')).toBe('test');
    await expectAccessible(page);
    await takePicture(page, 'test-step');
  });

  it('says why a step failed', async () => {
    const flowId = await withSample([]);
    await person.client.must('POST', `/flows/${flowId}`, {
      type: 'UPDATE_ACTION',
      request: codeStep('add_up', {}, 'export const code = () => { throw new Error("<b>no luck</b>"); };'),
    });
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'add_up&tab=test');

    await panel.getByRole('button', { name: 'Test step' }).click();

    await panel.getByText(/Error: <b>no luck<\/b>/).waitFor();
    await panel.getByText(/^Failed in/).waitFor();
  });

  it('says how a trigger gets a sample', async () => {
    const flowId = await newFlow();
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'trigger&tab=test');
    await panel.getByRole('button', { name: 'Test trigger' }).click();
    await panel.getByText(/Send a request to .*\/test/).waitFor();
  });

  it('tests the flow with the sample data, and shows on each card how it ended', async () => {
    const flowId = await withSample([40, 2]);
    const { page } = await visit();
    await openStep(page, person, flowId, 'size');

    await page.keyboard.press('Control+Shift+Enter');
    await dialogIn(page).getByRole('region', { name: 'The sample data of the trigger' }).waitFor();
    await expectAccessible(page);
    await start(page);

    await ended(page);
    await card(page, /^tell .*Succeeded · 2 times/).waitFor();
    await card(page, /^size .*Succeeded · Otherwise/).waitFor();
    expect(await card(page, /^large .*Succeeded/).count()).toBe(0);
    await page.getByRole('button', { name: 'Use as sample data' }).click();
    await page.getByText(/steps have its data now/).waitFor();
    expect(await outputOf(flowId, 'add_up')).toBe(42);
    await takePicture(page, 'test-flow');
  });

  it('tests the flow with data of the person, which stays the sample data when it is pinned', async () => {
    const flowId = await newFlow();
    const { page } = await visit();
    await openStep(page, person, flowId, 'size');
    await page.getByRole('button', { name: 'Test flow' }).click();
    await dialogIn(page).getByRole('textbox', { name: 'Body of the request (JSON)' }).fill('{"prices": [200]}');
    await dialogIn(page)
      .getByRole('checkbox', { name: /sample data/ })
      .check();
    await start(page);

    await ended(page);
    await card(page, /^size .*Succeeded · Large/).waitFor();
    expect(await outputOf(flowId, 'trigger')).toMatchObject({ body: { prices: [200] } });
  });

  it('tests the flow with a request that is caught now', async () => {
    const flowId = await newFlow();
    const { page } = await visit();
    await openStep(page, person, flowId, 'size');
    await page.getByRole('button', { name: 'Test flow' }).click();
    await dialogIn(page).getByRole('combobox', { name: 'Data' }).selectOption('A request that I send now');
    const address = await dialogIn(page)
      .getByText(/\/api\/v1\/webhooks\/.*\/test$/)
      .innerText();
    await dialogIn(page).getByText('Waiting for a request…').waitFor();
    await page.waitForResponse(/trigger-events/);

    const headers = { 'content-type': 'application/json' };
    await fetch(address, { method: 'POST', headers, body: JSON.stringify({ prices: [1, 2, 3] }) });
    await dialogIn(page).getByText('The request is here.').waitFor();
    await start(page);

    await ended(page);
    await card(page, /^tell .*Succeeded · 3 times/).waitFor();
  });

  it('tests the flow with the data of an earlier run', async () => {
    const flowId = await newFlow();
    const { body } = await person.client.sendWebhook(flowId, { prices: [7, 8, 9, 10] });
    await person.client.endedRun(body.id);
    const { page } = await visit();
    await openStep(page, person, flowId, 'size');
    await page.getByRole('button', { name: 'Test flow' }).click();
    await dialogIn(page).getByRole('combobox', { name: 'Data' }).selectOption('The data of an earlier run');
    await dialogIn(page)
      .getByRole('option', { name: /^Succeeded/ })
      .waitFor({ state: 'attached' });
    await dialogIn(page).getByRole('combobox', { name: 'Run' }).selectOption({ index: 1 });
    await start(page);

    await ended(page);
    await card(page, /^tell .*Succeeded · 4 times/).waitFor();
  });

  it('opens a run in the editor, with its data as the sample data', async () => {
    const flowId = await newFlow();
    const { body } = await person.client.sendWebhook(flowId, { prices: [20, 22] });
    await person.client.endedRun(body.id);
    const { page } = await visit();
    await signInTo(page, `/runs/${body.id}`, person);

    await page.getByRole('button', { name: 'Open in editor with this data' }).click();
    await page.waitForURL(/\/flows\/.*testRun=/);

    await card(page, /^add_up .*Succeeded/).click();
    await panelIn(page)
      .getByRole('treeitem', { name: /^Catch Webhook from/ })
      .waitFor();
    expect(await outputOf(flowId, 'add_up')).toBe(42);
  });
});
