import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson } from './testing/people';

const ADD_UP = 'export const code = async ({ prices }) => prices.reduce((sum, price) => sum + price, 0);';
const BROKEN = 'export const code = async ({ prices }) => prices.add();';
/** More controls than any page has. */
const MOST_CONTROLS = 150;
/** More steps than the flow has. */
const MOST_STEPS = 20;

/** Goes from control to control until this one has the focus, as soon as it can be used. */
async function reach(page: Page, control: Locator): Promise<void> {
  await control.and(page.locator(':not(:disabled)')).first().waitFor();
  const passed = new Set<string>();
  for (let pressed = 0; pressed < MOST_CONTROLS; pressed++) {
    if ((await control.and(page.locator(':focus')).count()) > 0) return;
    passed.add(await page.evaluate<string>("document.activeElement?.outerHTML.slice(0, 120) ?? 'nothing'"));
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach it. It passed:\n${[...passed].join('\n')}`);
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

/** Leaves a field for the canvas. What is open in the field closes first. */
async function leave(page: Page): Promise<void> {
  const canvas = page.getByRole('region', { name: 'Canvas' });
  for (let pressed = 0; pressed < MOST_CONTROLS; pressed++) {
    if ((await canvas.getByRole('button').and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Escape');
  }
  throw new Error('The field is not left.');
}

/** Goes to a step by the outline, and opens its settings. */
async function openStep(page: Page, step: RegExp): Promise<void> {
  const row = page.getByRole('treeitem', { name: step });
  await row.waitFor();
  await reach(page, page.getByRole('tree', { name: 'Outline' }).getByRole('treeitem'));
  await page.keyboard.press('Home');
  for (let pressed = 0; pressed < MOST_STEPS; pressed++) {
    if ((await row.and(page.locator(':focus')).count()) > 0) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}

const isUnder = (seconds: number, from: number): boolean => performance.now() - from < seconds * 1_000;

describe('the first flow of a person', () => {
  const visit = visits();

  it('is made, tested, published, run, mended and retried with the keyboard alone, within 90 seconds', async () => {
    const person = await newPerson('Lamp shop');
    const { page } = await visit();
    await page.goto('/sign-in');
    const from = performance.now();
    await write(page, page.getByRole('textbox', { name: 'E-mail' }), person.email);
    await write(page, page.getByLabel('Password'), person.password);
    await page.keyboard.press('Enter');

    await press(page, page.getByRole('button', { name: 'New flow' }));
    await page.keyboard.insertText('Order intake');
    await page.keyboard.press('Enter');
    const palette = page.getByRole('dialog').getByRole('combobox');
    const settings = page.getByRole('complementary', { name: 'Step settings' });
    const source = settings.getByRole('textbox', { name: 'Code' });
    const choose = async (step: string) => {
      await write(page, palette, step);
      await page.keyboard.press('Enter');
    };
    /** Adds a step after the one with the focus, and goes into its settings. */
    const add = async (step: string, name: RegExp) => {
      await page.keyboard.press('a');
      await choose(step);
      await page.getByRole('button', { name }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await settings.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor();
    };
    await press(page, page.getByRole('button', { name: /^Select Trigger/ }));
    await press(page, page.getByRole('button', { name: 'Choose a trigger' }));
    await choose('webhook');
    await leave(page);
    await add('code', /^Code/);
    await write(page, source, ADD_UP);
    await press(page, settings.getByRole('button', { name: 'Add to Input' }));
    await write(page, settings.getByRole('textbox', { name: 'Input, name 1' }), 'prices');
    await write(page, settings.getByRole('textbox', { name: 'Input, value 1' }), '{{trigger.body.prices}}');
    await leave(page);
    await add('router', /^Router/);
    await write(page, settings.getByRole('textbox', { name: 'First value' }), '{{trigger.body.prices}}');
    await leave(page);
    await add('loop', /^Loop/);
    await write(page, settings.getByRole('textbox', { name: 'Items' }), '{{trigger.body.prices || []}}');
    await expectAccessible(page);

    await page.keyboard.press('Control+Shift+Enter');
    const test = page.getByRole('dialog', { name: 'Test flow' });
    await write(page, test.getByRole('textbox'), '{"prices": [40, 2]}');
    await press(page, test.getByRole('button', { name: 'Test flow' }));
    await page.getByRole('status').getByText('Succeeded').first().waitFor();
    const address = await publish(page);

    await press(page, page.getByRole('link', { name: 'Runs' }));
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await send(address, { prices: [40, 2] });
    const arrived = page.getByRole('row', { name: /^Succeeded.*Order intake/ });
    await press(page, arrived.getByRole('link', { name: 'Order intake' }));
    await page.getByRole('tab', { name: 'Timeline' }).waitFor();

    await press(page, page.getByRole('link', { name: 'Flows', exact: true }));
    await press(page, page.getByRole('link', { name: 'Order intake' }));
    await openStep(page, /^Code/);
    await write(page, source, BROKEN);
    await publish(page);
    await send(address, { prices: [40, 2] });
    await press(page, page.getByRole('link', { name: 'Failures' }));
    const failure = page.getByRole('article', { name: /TypeError/ });
    await press(page, failure.getByRole('link', { name: 'Order intake' }));
    await openStep(page, /^Code/);
    await write(page, source, ADD_UP);
    await publish(page);
    await press(page, page.getByRole('link', { name: 'Failures' }));
    await press(page, failure.getByRole('button', { name: 'Retry 1 run…' }));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Retry 1 run' }));
    await failure.getByText(/1 of 1 run started/).waitFor();

    await press(page, page.getByRole('link', { name: 'Runs' }));
    await arrived.nth(1).waitFor();
    expect(isUnder(90, from)).toBe(true);
  });
});
