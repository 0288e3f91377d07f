import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { serviceUnderTest } from '@millrace/e2e-support';
import type { Locator, Page, Route } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { enter, newMember, newPerson, signInTo, type Person } from './testing/people';
import { openStep, panelIn, saved, stepOf, write } from './testing/step-panel';

const FLOW = /\/api\/v1\/flows\/[^/?]+$/;
const API = /\/api\/v1\//;

const aTrigger = () =>
  webhookTrigger([
    codeStep('sum', {}, undefined, { displayName: 'Add up' }),
    codeStep('tell', {}, undefined, { displayName: 'Tell' }),
  ]);

describe('what is typed in the editor', () => {
  const visit = visits();
  let grace: Person;
  let ada: Person;

  beforeAll(async () => {
    grace = await newPerson('Lamp shop');
    ada = await newMember(grace, 'EDITOR');
  });

  /** A flow that this person has just made. */
  const flowOf = async ({ client, projectId }: Person): Promise<string> => {
    const { id } = await client.createFlow(projectId, 'Order intake');
    await client.importFlow(id, 'Order intake', aTrigger());
    return id;
  };
  const rename = (flowId: string, name: 'sum' | 'tell', displayName: string, { client }: Person) =>
    client.must('POST', `/flows/${flowId}`, {
      type: 'UPDATE_ACTION',
      request: codeStep(name, {}, undefined, { displayName }),
    });
  const nameOf = async (flowId: string, name: string) => (await stepOf(grace, flowId, name)).displayName;
  const nameField = (page: Page): Locator => panelIn(page).getByRole('textbox', { name: 'Name', exact: true });
  const card = (page: Page, name: string): Locator =>
    page.getByRole('region', { name: 'Canvas' }).getByRole('button', { name: new RegExp(`^${name}`) });
  const alert = (page: Page): Locator => page.getByRole('main').getByRole('alert');
  /** Opens a dialog over what the page says, as a person does who looks something up meanwhile. */
  const openKeys = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  };
  const expectAccessibleWithDialog = async (page: Page): Promise<void> => {
    await expectAccessible(page);
    await openKeys(page);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  };

  it('stands beside what others have made meanwhile, and waits while they go on, who are named', async () => {
    const id = await flowOf(ada);
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOW);
    await openStep(page, grace, id, 'sum');

    await rename(id, 'tell', 'Tell the warehouse', ada);
    await nameField(page).fill('Add <b>all</b> up');
    const theirs = alert(page).getByRole('region', {
      name: 'Changed by others',
    });
    await theirs.getByText('Changed Tell the warehouse').waitFor();
    await alert(page).getByRole('region', { name: 'Changed here' }).getByText('Changed Add <b>all</b> up').waitFor();
    await expectAccessibleWithDialog(page);
    await alert(page).getByRole('button', { name: 'Put mine on top' }).click();

    await alert(page).getByText('Ada Lovelace is editing this flow').waitFor();
    expect(await nameField(page).isDisabled()).toBe(true);
    await card(page, 'Tell the warehouse').waitFor();
    await expectAccessibleWithDialog(page);
    await page.reload();
    await alert(page).getByText('Ada Lovelace is editing this flow').waitFor();
    expect(await nameField(page).inputValue()).toBe('Add <b>all</b> up');
    await alert(page).getByRole('button', { name: 'Make a copy with mine' }).click();

    await page.getByRole('heading', { name: 'Order intake (copy)', level: 1 }).waitFor();
    await card(page, 'Add <b>all</b> up').waitFor();
    await card(page, 'Tell the warehouse').waitFor();
    const copyId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(await nameOf(copyId, 'sum')).toBe('Add <b>all</b> up');
    await page.goto(`/flows/${id}`);
    await card(page, 'Add up').waitFor();
    await saved(page);
    expect(await nameOf(id, 'sum')).toBe('Add up');
  });

  it('follows into another tab of the same person, and is lost in neither', async () => {
    const id = await flowOf(grace);
    const { page, context, complaints } = await visit();
    complaints.expectFailuresOf(FLOW);
    await openStep(page, grace, id, 'sum');
    const other = await context.newPage();
    await other.goto(`/flows/${id}?step=tell`);
    await nameField(other).waitFor();

    await nameField(page).fill('Totals');
    await card(other, 'Totals').waitFor();
    await nameField(other).fill('Call');
    await card(page, 'Call').waitFor();
    await Promise.all([nameField(page).fill('All totals'), nameField(other).fill('Call the shop')]);
    await settleBoth(page, other);

    await card(other, 'All totals').waitFor();
    await card(page, 'Call the shop').waitFor();
    expect([await nameOf(id, 'sum'), await nameOf(id, 'tell')]).toEqual(['All totals', 'Call the shop']);
    expect(await nameField(page).inputValue()).toBe('All totals');
  });

  /** Saves what two tabs have typed at the same time. The later one may be asked. */
  const settleBoth = async (...pages: Page[]): Promise<void> => {
    for (const page of pages) {
      const onTop = alert(page).getByRole('button', {
        name: 'Put mine on top',
      });
      await onTop
        .or(page.getByRole('status').getByText('Saved', { exact: true }))
        .first()
        .waitFor();
      if (await onTop.isVisible()) await onTop.click();
      await saved(page);
    }
  };

  it('stays in the form when it is refused, while the picture shows what the service has', async () => {
    const id = await flowOf(grace);
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOW);
    await openStep(page, grace, id, 'sum');
    const tooLong = `Add ${'very '.repeat(200)}much up`;

    await nameField(page).fill(tooLong);

    await alert(page).getByText('A change was refused').waitFor();
    await alert(page)
      .getByText(/Change Add very/)
      .waitFor();
    await alert(page)
      .getByText(/^Request /)
      .waitFor();
    await card(page, 'Add up').waitFor();
    expect(await nameField(page).inputValue()).toBe(tooLong);
    await expectAccessibleWithDialog(page);
    await nameField(page).fill('Add much up');
    await saved(page);
    await alert(page).waitFor({ state: 'detached' });
    expect(await nameOf(id, 'sum')).toBe('Add much up');
  });

  it('is there again after the session has ended, and is sent for nobody else', async () => {
    const id = await flowOf(grace);
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(API);
    const tokens = new Set<string | undefined>();
    page.on('request', (request) => tokens.add(request.headers()['authorization'] ?? 'none'));
    await openStep(page, grace, id, 'sum');

    await endSession(page, new Set(tokens));
    await nameField(page).fill('Add all up');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await page.reload();
    await enter(page, ada);
    await card(page, 'Add up').waitFor();
    await saved(page);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInTo(page, `/flows/${id}?step=sum`, grace);

    await card(page, 'Add all up').waitFor();
    expect(await nameField(page).inputValue()).toBe('Add all up');
    await saved(page);
    expect(await nameOf(id, 'sum')).toBe('Add all up');
  });

  /** Ends the session as a sign-out elsewhere does, when the access token of the page has expired as well. */
  const endSession = async (page: Page, tokens: ReadonlySet<string | undefined>): Promise<void> => {
    const headers = { origin: serviceUnderTest().baseUrl };
    await page.request.post('/api/v1/authentication/sign-out', { data: {}, headers });
    await page.route(FLOW, (route) =>
      route.request().method() === 'POST' && tokens.has(route.request().headers()['authorization'])
        ? route.fulfill({ status: 401, json: failureOf('INVALID_BEARER_TOKEN', 'It has expired.') })
        : route.continue(),
    );
  };

  it('waits while the service fails, is slow, or cannot be reached, and is saved by itself then', async () => {
    const id = await flowOf(grace);
    const { page, context, complaints } = await visit();
    complaints.expectFailuresOf(/./);
    await page.clock.install();
    await openStep(page, grace, id, 'sum');
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    const faults: ((route: Route) => unknown)[] = [
      (route) => late.then(() => route.continue()),
      (route) =>
        route.fulfill({
          status: 500,
          json: failureOf('INTERNAL_ERROR', 'The database is being moved.'),
        }),
      (route) =>
        route.fulfill({
          status: 503,
          json: failureOf('SERVICE_UNAVAILABLE', 'The service is stopping.'),
        }),
    ];
    const isEdit = (route: Route) => route.request().method() === 'POST';
    await page.route(FLOW, (route) => (isEdit(route) ? faults.shift() : undefined)?.(route) ?? route.continue());

    await nameField(page).fill('Add all up');
    await page.getByRole('status').getByText('Saving…').waitFor();
    await page.clock.fastForward(10_000);
    await page.getByRole('status').getByText('Saving takes longer than it should.').waitFor();
    answer();
    await saved(page);
    await nameField(page).fill('Add all of it up');
    await alert(page).getByText('The database is being moved.').waitFor();
    await alert(page).getByText('This page tries again by itself').waitFor();
    await page.clock.fastForward(1_000);
    await alert(page).getByText('The service is stopping.').waitFor();
    await page.clock.fastForward(2_000);
    await saved(page);
    await alert(page).waitFor({ state: 'detached' });
    expect(await nameOf(id, 'sum')).toBe('Add all of it up');

    await context.setOffline(true);
    await nameField(page).fill('Add everything up');
    await alert(page).getByText('Millrace does not answer').waitFor();
    await card(page, 'Add everything up').waitFor();
    await page.getByRole('button', { name: 'Keys' }).click();
    const missing = page.getByRole('alert').filter({ hasText: 'This part of the page could not be loaded' });
    await missing.waitFor();
    await expectAccessible(page);
    await context.setOffline(false);

    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await missing.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await saved(page);
    expect(await nameOf(id, 'sum')).toBe('Add everything up');
  });

  it('is there after a reload at once, also what means nothing yet, and is saved when the tab is closed', async () => {
    const id = await flowOf(grace);
    const { page, complaints } = await visit();
    // What a page sends while it is left may be applied before the next one sends the same again, which is refused then.
    complaints.expectFailuresOf(FLOW, 412);
    const panel = await openStep(page, grace, id, 'sum');
    await panel.getByRole('button', { name: 'Edit Input as JSON' }).click();

    await write(panel.getByRole('textbox', { name: 'Input' }), '{"lines": [');
    await nameField(page).fill('Add all up');
    await page.reload();

    await card(page, 'Add all up').waitFor();
    await saved(page);
    expect(await nameField(page).inputValue()).toBe('Add all up');
    expect(await nameOf(id, 'sum')).toBe('Add all up');
    await panel.getByText('This is not saved, because it is not JSON').waitFor();
    expect(await panel.getByRole('textbox', { name: 'Input' }).innerText()).toBe('{"lines": [');

    await nameField(page).fill('Add everything up');
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    await hasName(id, 'Add everything up');
  });

  /** Resolves when the service has the name, which a page sends that nobody can ask any more. */
  const hasName = async (id: string, name: string): Promise<void> => {
    while ((await nameOf(id, 'sum')) !== name) await new Promise((resolve) => setTimeout(resolve, 100));
  };

  it('is beside what others have made, when the machine has slept or the network was away', async () => {
    const id = await flowOf(grace);
    const { page, context, complaints } = await visit();
    complaints.expectFailuresOf(/./);
    await context.clock.install();
    await openStep(page, grace, id, 'sum');
    const list = await context.newPage();
    await list.goto(`/flows?projectId=${grace.projectId}`);
    await list.getByRole('table', { name: 'Flows' }).waitFor();

    await rename(id, 'tell', 'Tell the warehouse', grace);
    await grace.client.createFlow(grace.projectId, 'Made meanwhile');
    await context.clock.fastForward('08:00:00');
    await card(page, 'Tell the warehouse').waitFor();
    await list.getByRole('row', { name: /^Made meanwhile/ }).waitFor();

    await context.setOffline(true);
    await rename(id, 'tell', 'Tell the shop', grace);
    await grace.client.createFlow(grace.projectId, 'Made later');
    await context.clock.fastForward('00:10');
    await context.setOffline(false);
    await card(page, 'Tell the shop').waitFor();
    await list.getByRole('row', { name: /^Made later/ }).waitFor();
  });
});

const failureOf = (code: string, message: string) => ({
  code,
  params: { message },
});
