import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import type { Page, Response } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const ITEMS = 40;
const FAILS_AT = 30;
/** Each step gives 150 kB, so that all steps together are too large to be read at once. */
const BODY = `export const code = async ({ item }) => {
  console.log('item ' + item);
  if (item === ${FAILS_AT}) throw new Error('item thirty');
  return { item, filler: 'x'.repeat(150_000) };
};`;
const READ_BYTES = 1_000_000;

/** The bytes of an answer. One that was still on its way when its page was closed had none for it. */
const lengthOf = (response: Response): Promise<number> =>
  response.body().then(
    ({ length }) => length,
    () => 0,
  );

describe('a run whose steps are large', () => {
  const visit = visits();
  let person: Person;
  let runId: string;

  beforeAll(async () => {
    person = await newPerson('Orders');
    const tell = codeStep('tell', { item: '{{each.item}}' }, BODY, { displayName: 'Tell warehouse' });
    const trigger = webhookTrigger([loop('each', '{{trigger.body.items}}', [tell], { displayName: 'Each line' })]);
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', trigger);
    const items = Array.from({ length: ITEMS }, (_, n) => n + 1);
    runId = (await person.client.endedRun((await person.client.sendWebhook(id, { items })).body.id)).id;
  });

  const open = async (query = '') => {
    const { page } = await visit();
    const answers: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/flow-runs/')) answers.push(lengthOf(response));
    });
    await signInTo(page, `/runs/${runId}${query}`, person);
    const read = async () => (await Promise.all(answers)).reduce((sum, bytes) => sum + bytes, 0);
    return { page, read };
  };
  const iteration = (page: Page) => page.getByRole('spinbutton', { name: 'Iteration' });
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Step' });

  it('opens where it failed, and reads no more than what is looked at', async () => {
    const { page, read } = await open();

    await panel(page).getByText('Error: item thirty').waitFor();
    expect(await iteration(page).inputValue()).toBe(String(FAILS_AT));
    await iteration(page).fill('2');
    await panel(page).getByText('iteration 2').waitFor();
    await page.getByRole('tab', { name: 'Input' }).click();
    await page.getByRole('region', { name: 'Input' }).getByText('2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'First failed' }).click();
    await panel(page).getByText(`iteration ${FAILS_AT}`).waitFor();

    expect(await read()).toBeLessThan(READ_BYTES);
  });

  it('is on the canvas with what all iterations did', async () => {
    const { page } = await open('?tab=canvas');

    const canvas = page.getByRole('region', { name: 'Canvas' });
    await canvas.getByRole('button', { name: `Tell warehouse code Failed · ${FAILS_AT} times` }).click();

    await panel(page).getByText('Error: item thirty').waitFor();
  });

  it('has all lines of its log when somebody loads them', async () => {
    const { page } = await open('?tab=logs');

    await page.getByRole('button', { name: /^Load \d/ }).click();

    await page.getByRole('list', { name: 'Logs' }).getByText('item 7', { exact: true }).waitFor();
  });

  it('offers its iterations for a rerun', async () => {
    const { page } = await open();

    await page.getByRole('button', { name: 'Rerun from here…' }).click();

    const field = page.getByRole('dialog').getByRole('spinbutton', { name: 'Iteration of Each line (1 to 30)' });
    await field.waitFor();
    expect(await field.inputValue()).toBe(String(FAILS_AT));
  });
});
