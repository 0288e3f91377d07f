import { webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const PAGE_SIZE = 50;

describe('the list of flows', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Orders');
  });

  const flowsIn = (page: Page) => page.getByRole('table', { name: 'Flows' });
  const row = (page: Page, name: string | RegExp) => flowsIn(page).getByRole('row', { name });
  const searchIn = (page: Page) => page.getByRole('searchbox', { name: 'Search flows' });
  /** Every test has a project of its own, whose flows are listed. */
  const open = async (page: Page, flows: string[], filters = '') => {
    const projectId = await person.client.createProject('Flows');
    for (const name of flows) await person.client.createFlow(projectId, name);
    await signInTo(page, `/flows?projectId=${projectId}${filters}`, person);
    return projectId;
  };

  it('says by words whether a flow is enabled, and when it was changed', async () => {
    const { page } = await visit();
    const projectId = await person.client.createProject('States');
    await person.client.createFlow(projectId, 'Still a draft');
    await person.client.publishFlow(projectId, 'In use', webhookTrigger());
    await signInTo(page, `/flows?projectId=${projectId}`, person);

    await row(page, /^Still a draft.*Draft/).waitFor();
    await row(page, /^In use.*Enabled/).waitFor();
    await row(page, /^In use/)
      .getByRole('time')
      .first()
      .waitFor();
  });

  it('shows names as they are, also those that look like markup', async () => {
    const { page } = await visit();
    const names = ['<img src=x onerror=alert(1)>', '{{constructor}} &amp; "quotes"', 'Größe 😀 שלום', 'x'.repeat(200)];
    await open(page, names);
    for (const name of names) await flowsIn(page).getByText(name, { exact: true }).waitFor();
  });

  it('is searched while one types, and the address says for what', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['Order intake', 'Order report', 'Refunds']);
    await row(page, /Refunds/).waitFor();

    await searchIn(page).pressSequentially('order');
    await row(page, /Refunds/).waitFor({ state: 'detached' });
    await row(page, /Order report/).waitFor();
    expect(filtersOf(page)).toEqual({ projectId, name: 'order' });

    await page.reload();
    await row(page, /Order intake/).waitFor();
    expect(await searchIn(page).inputValue()).toBe('order');
    expect(await row(page, /Refunds/).count()).toBe(0);
  });

  it('keeps the place in the search where one types', async () => {
    const { page } = await visit();
    await open(page, ['Order intake'], '&name=odr');
    await searchIn(page).waitFor();

    await searchIn(page).press('Home');
    await searchIn(page).press('ArrowRight');
    await searchIn(page).pressSequentially('r');
    await searchIn(page).press('ArrowRight');
    await searchIn(page).pressSequentially('e');

    expect(await searchIn(page).inputValue()).toBe('order');
    await row(page, /Order intake/).waitFor();
  });

  it('loses no letter of somebody who types fast, also when the service answers late', async () => {
    const { page } = await visit();
    await open(page, ['Order intake', 'Refunds']);
    await row(page, /Refunds/).waitFor();
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/api\/v1\/flows\?/, async (route) => {
      await late;
      await route.continue();
    });

    await searchIn(page).pressSequentially('order intake');
    expect(await searchIn(page).inputValue()).toBe('order intake');
    answer();

    await row(page, /Refunds/).waitFor({ state: 'detached' });
    await row(page, /Order intake/).waitFor();
  });

  it('is filtered by status, and going back takes the filter away', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['Still a draft']);
    await row(page, /Still a draft/).waitFor();

    await page.getByRole('combobox', { name: 'Status' }).selectOption('Enabled');
    await page.getByText('No flow matches.').waitFor();
    expect(filtersOf(page)).toEqual({ projectId, status: 'ENABLED' });

    await page.goBack();
    await row(page, /Still a draft/).waitFor();
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('');
  });

  it('shows all flows of the same project again when nothing matches', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['Order intake'], '&name=nothing%20like%20it');
    await page.getByText('No flow matches.').waitFor();

    await page.getByRole('button', { name: 'Show all flows' }).click();

    await row(page, /Order intake/).waitFor();
    expect(filtersOf(page)).toEqual({ projectId });
    expect(await searchIn(page).inputValue()).toBe('');
  });

  it('says that a project has no flow yet', async () => {
    const { page } = await visit();
    await open(page, []);
    await page.getByText('There is no flow yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Show all flows' }).count()).toBe(0);
  });

  it('has further pages, which the address names', async () => {
    const { page } = await visit();
    const names = Array.from({ length: PAGE_SIZE + 1 }, (_, index) => `Flow ${String(index).padStart(2, '0')}`);
    await open(page, names);
    await row(page, /Flow 50/).waitFor();
    expect(await flowsIn(page).getByRole('row').count()).toBe(1 + PAGE_SIZE);

    await page.getByRole('button', { name: 'Next page' }).click();
    await row(page, /Flow 00/).waitFor();
    expect(await flowsIn(page).getByRole('row').count()).toBe(1 + 1);
    expect(filtersOf(page)).toMatchObject({ cursor: expect.any(String) });

    await page.reload();
    await row(page, /Flow 00/).waitFor();
    expect(await page.getByRole('button', { name: 'Next page' }).count()).toBe(0);

    await page.getByRole('button', { name: 'First page' }).click();
    await row(page, /Flow 50/).waitFor();
  });

  it('shows nothing of the project that was shown before', async () => {
    const { page } = await visit();
    await person.client.createProject('Slow to answer');
    await open(page, ['Secret of the first']);
    await row(page, /Secret of the first/).waitFor();
    await page.route(/\/api\/v1\/flows\?/, () => undefined); // never answers

    await page.getByRole('combobox', { name: 'Project' }).selectOption('Slow to answer');

    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    expect(await row(page, /Secret/).count()).toBe(0);
  });
});

const filtersOf = (page: Page): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
