import { branch, builtInStep, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';

const THROWS_AT_THREE = `export const code = async ({ item }) => {
  if (item === 3) throw new Error('three');
  return { item };
};`;

describe('the canvas of a run', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;

  const isLarge = { firstValue: '{{trigger.body.items.length}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: '2' };
  const card = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Canvas' }).getByRole('button', { name, exact: false });
  const row = (page: Page, name: string) => page.getByRole('tree', { name: 'Outline' }).getByRole('treeitem', { name });
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Step' });
  const sent = async (items: number[]) => (await person.client.sendWebhook(flowId, { items })).body.id;
  const open = async (runId: string) => {
    const { page } = await visit();
    await signInTo(page, `/runs/${runId}?tab=canvas`, person);
    await row(page, 'Size').waitFor();
    return page;
  };

  beforeAll(async () => {
    person = await newPerson('Orders');
    const tell = codeStep('tell', { item: '{{each.item}}' }, THROWS_AT_THREE, { displayName: 'Tell warehouse' });
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', {}, { displayName: 'Ask' });
    const trigger = webhookTrigger([
      router(
        'size',
        [
          branch('Large', [[isLarge]], [loop('each', '{{trigger.body.items}}', [tell], { displayName: 'Each line' })]),
          fallback([ask]),
        ],
        { displayName: 'Size' },
      ),
    ]);
    ({ id: flowId } = await person.client.publishFlow(person.projectId, 'Order intake', trigger));
  });

  it('shows how each step ended, how often it ran, and which branch was taken', async () => {
    const { id } = await person.client.endedRun(await sent([1, 2, 3]));
    const page = await open(id);

    await card(page, 'Tell warehouse code Failed · 3 times').waitFor();
    await card(page, 'Each line loop Failed · 3 iterations').waitFor();
    await row(page, 'Large taken').waitFor();
    await row(page, 'Otherwise not taken').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'run-canvas-light');
  });

  it('is one of the tabs along which the arrows lead', async () => {
    const { id } = await person.client.endedRun(await sent([1, 2, 3]));
    const page = await open(id);
    const chosen = (name: string) =>
      page.getByRole('tab', { name, selected: true }).and(page.locator(':focus')).waitFor();

    await page.getByRole('tab', { name: 'Canvas' }).focus();
    for (const [key, name] of Object.entries({
      End: 'JSON',
      ArrowRight: 'Timeline',
      ArrowLeft: 'JSON',
      Home: 'Timeline',
    })) {
      await page.keyboard.press(key);
      await chosen(name);
    }

    await page.keyboard.press('Tab');
    await page.getByRole('tabpanel', { name: 'Timeline' }).and(page.locator(':focus')).waitFor();
  });

  it('opens a step beside it, in the iteration that failed, by keyboard too, at an address of its own', async () => {
    const { id } = await person.client.endedRun(await sent([1, 2, 3]));
    const page = await open(id);

    await row(page, 'Size').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);

    await panel(page).getByRole('heading', { name: 'Tell warehouse' }).waitFor();
    await panel(page).getByText('Error: three').waitFor();
    expect(new URL(page.url()).searchParams.get('step')).toBe('each[2].tell');
    await page.getByRole('spinbutton', { name: 'Iteration' }).fill('1');
    await panel(page).getByText('iteration 1').waitFor();
    await page.reload();
    await panel(page).getByText('iteration 1').waitFor();
  });

  it('has all branches beside the panel of the failed step, and says of a step that the run did not come to it', async () => {
    const { id } = await person.client.endedRun(await sent([1, 2, 3]));
    const page = await open(id);
    await panel(page).getByText('Error: three').waitFor();
    await takePicture(page, 'run-canvas-failed');

    await card(page, 'Ask').first().click();

    await panel(page).getByText('The run did not come to this step.').waitFor();
  });

  it('stands above the panel where the navigation leaves too little room for both', async () => {
    const { id } = await person.client.endedRun(await sent([1, 2, 3]));
    const page = await open(id);
    await page.setViewportSize({ width: 1024, height: 768 });

    await card(page, 'Ask').first().click();

    await panel(page).getByText('The run did not come to this step.').waitFor();
    await takePicture(page, 'run-canvas-1024');
  });

  it('goes on with the run', async () => {
    const { id, requestId } = await person.client.pausedRun(await sent([1]));
    const page = await open(id);
    await card(page, 'Ask approval · action Paused').waitFor();

    await person.client.must('POST', `/flow-runs/${id}/requests/${requestId}?action=approve`);

    await card(page, 'Ask approval · action Succeeded').waitFor();
  });
});
