import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';

const ADD_UP = 'export const code = async ({ prices }) => prices.reduce((sum, price) => sum + price, 0);';
const MENDED = 'export const code = async ({ prices }) => (prices || []).reduce((sum, price) => sum + price, 0);';
/** More controls than any page has. */
const MOST_CONTROLS = 150;

/** Goes from control to control until this one has the focus. */
async function reach(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let pressed = 0; pressed < MOST_CONTROLS; pressed++) {
    if ((await control.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The keyboard does not reach it.');
}

async function press(page: Page, control: Locator): Promise<void> {
  await reach(page, control);
  await page.keyboard.press('Enter');
}

async function write(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** Publishes the flow in the editor, and returns the address of its webhook. */
async function publish(page: Page): Promise<string> {
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await press(page, page.getByRole('button', { name: 'Publish', exact: true }));
  const dialog = page.getByRole('dialog');
  await press(page, dialog.getByRole('button', { name: 'Publish' }));
  const address = await dialog.getByText(/\/api\/v1\/webhooks\//).innerText();
  await page.keyboard.press('Escape');
  return address;
}

async function send(address: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(status).toBe(200);
}

describe('the first flow of a person', () => {
  const visit = visits();

  it('is made, published, run, mended and retried with the keyboard alone', async () => {
    const person = await newPerson('Lamp shop');
    const { page } = await visit();
    await signInTo(page, `/flows?projectId=${person.projectId}`, person);

    await press(page, page.getByRole('button', { name: 'New flow' }));
    await page.keyboard.insertText('Order intake');
    await page.keyboard.press('Enter');
    const palette = page.getByRole('dialog').getByRole('combobox');
    const choose = async (step: string) => {
      await write(page, palette, step);
      await page.keyboard.press('Enter');
    };
    await press(page, page.getByRole('button', { name: /^Select Trigger/ }));
    await press(page, page.getByRole('button', { name: 'Choose a trigger' }));
    await choose('webhook');
    await press(page, page.getByRole('button', { name: 'Add step', exact: true }));
    await choose('code');
    const settings = page.getByRole('complementary', { name: 'Step settings' });
    const source = settings.getByRole('textbox', { name: 'Code' });
    await write(page, source, ADD_UP);
    await press(page, settings.getByRole('button', { name: 'Add to Input' }));
    await write(page, settings.getByRole('textbox', { name: 'Input, name 1' }), 'prices');
    await write(page, settings.getByRole('textbox', { name: 'Input, value 1' }), '{{trigger.body.prices}}');
    await press(page, page.getByRole('button', { name: 'Add step', exact: true }));
    await choose('loop');
    await write(page, settings.getByRole('textbox', { name: 'Items' }), '{{trigger.body.prices}}');
    await expectAccessible(page);
    const address = await publish(page);

    await send(address, { prices: [40, 2] });
    await press(page, page.getByRole('link', { name: 'Runs' }));
    await page.getByRole('row', { name: /^Succeeded.*Order intake/ }).waitFor();

    await send(address, {});
    await press(page, page.getByRole('link', { name: 'Failures' }));
    const failure = page.getByRole('article', { name: /TypeError/ });
    await press(page, failure.getByRole('link', { name: 'Order intake' }));
    await press(page, page.getByRole('button', { name: /^Code/ }).first());
    await write(page, source, MENDED);
    await press(page, page.getByRole('button', { name: /^Loop/ }).first());
    await write(page, settings.getByRole('textbox', { name: 'Items' }), '{{trigger.body.prices || []}}');
    await publish(page);
    await press(page, page.getByRole('link', { name: 'Failures' }));
    await press(page, failure.getByRole('button', { name: 'Retry 1 run…' }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Retry 1 run' }));
    await failure.getByText('1 run started.').waitFor();

    await press(page, page.getByRole('link', { name: 'Runs' }));
    await page
      .getByRole('row', { name: /^Succeeded.*Order intake/ })
      .nth(1)
      .waitFor();
  });
});
