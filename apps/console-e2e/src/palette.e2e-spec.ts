import { webhookTrigger } from '@millrace/domain/testing';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

describe('the palette', () => {
  const visit = visits();
  let person: Person;
  let runId: string;

  beforeAll(async () => {
    person = await newPerson('Palette');
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', webhookTrigger());
    ({ id: runId } = (await person.client.sendWebhook(id, {})).body);
    await person.client.endedRun(runId);
  });

  it.each([
    ['a page', 'conn', 'Connections', () => /\/connections\?/],
    ['a flow by a part of its name', 'intake', 'Order intake', () => /\/flows\/[0-9a-f-]+$/],
    ['a flow by beginnings of its words', 'in ord', 'Order intake', () => /\/flows\/[0-9a-f-]+$/],
    ['a run by its id', '', 'The run', () => new RegExp(`/runs/${runId}$`)],
  ])('goes to %s', async (_, typed, option, address) => {
    const { page } = await visit();
    await signInTo(page, '/runs', person);
    await page.keyboard.press('Control+K');
    const dialog = page.getByRole('dialog', { name: 'Go to' });
    await dialog.getByRole('combobox').fill(typed || runId);
    await dialog.getByRole('option', { name: option }).waitFor();
    await expectAccessible(page);

    await page.keyboard.press('Enter');
    await page.waitForURL(address());
    await dialog.waitFor({ state: 'detached' });
  });

  it('offers first what the person chose last in this browser', async () => {
    const { page } = await visit();
    await signInTo(page, '/runs', person);
    await openPalette(page);
    await take(page, 'or in');
    await page.getByRole('tree', { name: 'Outline' }).waitFor();
    await openPalette(page);
    await take(page, 'connections');
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    const offers = await openPalette(page);
    const recent = page.getByRole('group', { name: 'Used last' });
    await recent.waitFor();
    expect(await recent.getByRole('option').allTextContents()).toEqual(['Connections', 'Order intake']);
    expect(await offers.filter({ hasText: 'Order intake' }).count()).toBe(1);
    await expectAccessible(page);
  });

  it('does what the page in hand offers, by the keyboard alone', async () => {
    const { id } = await person.client.publishFlow(person.projectId, 'Refunds', webhookTrigger());
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('tree', { name: 'Outline' }).waitFor();
    const card = page.getByRole('button', { name: /^Catch Webhook/ });
    await card.focus();

    const offers = await openPalette(page);
    expect(await offers.filter({ hasText: /^Test flow/ }).textContent()).toBe('Test flowCtrl-Shift-Enter');
    expect(await offers.filter({ hasText: /^Undo/ }).count()).toBe(0); // there is nothing to undo
    await take(page, 'test flow');
    await page.getByRole('dialog', { name: 'Test flow' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(card).waitFor();

    await openPalette(page);
    await take(page, 'disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await person.client.must('GET', `/flows/${id}`)).toMatchObject({ status: 'DISABLED' });

    await openPalette(page);
    await take(page, 'publish');
    await page.getByRole('dialog', { name: 'Publish' }).waitFor();
  });

  it('shows the views of a run, changes the theme, makes a flow and signs out from anywhere', async () => {
    const { page } = await visit({ colorScheme: 'light' });
    await signInTo(page, `/runs/${runId}`, person);
    await page.getByRole('list', { name: 'Timeline' }).waitFor();

    await openPalette(page);
    await take(page, 'json');
    await page.getByRole('tab', { name: 'JSON', selected: true }).waitFor();
    await openPalette(page);
    await take(page, 'dark theme');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');

    await openPalette(page);
    await take(page, 'new flow');
    await page.getByRole('dialog', { name: 'New flow' }).waitFor();
    await page.keyboard.press('Escape');
    await openPalette(page);
    await take(page, 'sign out');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  /** Returns what the palette offers. */
  const openPalette = async (page: Page): Promise<Locator> => {
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    return page.getByRole('option');
  };
  /** Takes the first of what is found. */
  const take = async (page: Page, typed: string) => {
    const dialog = page.getByRole('dialog', { name: 'Go to' });
    await dialog.getByRole('combobox').pressSequentially(typed);
    await dialog.getByRole('option', { name: new RegExp(typed.split(' ').join('|'), 'i'), selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
  };
});

const focused = (element: Locator): Locator => element.and(element.page().locator(':focus'));
