import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page, Route } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { panelIn, saved, stepOf } from './testing/step-panel';

const ASSETS = /\/assets\//;
const asset = (name: string): RegExp => new RegExp(`/assets/${name}-[^/]*\\.js$`);

/** The network is cut. */
const cut = (route: Route) => route.abort('connectionrefused');
/** Another release is there, which has no such part. */
const gone = (route: Route) => route.fulfill({ status: 404, json: { code: 'ROUTE_NOT_FOUND', params: {} } });

describe('a part of the page that cannot be loaded', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
    ({ id: flowId } = await person.client.createFlow(person.projectId, 'Order intake'));
    const sum = codeStep('sum', {}, undefined, { displayName: 'Add up' });
    await person.client.importFlow(flowId, 'Order intake', webhookTrigger([sum]));
  });

  const open = async (address: string) => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(ASSETS);
    await signInTo(page, address, person);
    return page;
  };
  const missing = (page: Page) => page.getByRole('alert').filter({ hasText: /could not be loaded/ });

  it('leaves the ways to the other pages when it is a page, and comes when it is asked for again', async () => {
    const page = await open('/flows');
    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
    await page.route(asset('failures-page'), cut);

    await page.getByRole('link', { name: 'Failures' }).click();
    await missing(page).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Flows' }).click();
    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
    await page.getByRole('link', { name: 'Failures' }).click();
    await missing(page).waitFor();
    await page.unroute(asset('failures-page'));
    await missing(page).getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('heading', { name: 'Failures', level: 1 }).waitFor();
  });

  it('leaves the rest of the editor, and what was typed there over a reload', async () => {
    const page = await open(`/flows/${flowId}`);
    await page.getByRole('treeitem', { name: 'Add up' }).waitFor();
    await page.route(asset('(step-panel|mini-map)'), cut);

    await page.getByRole('button', { name: /^Add up/ }).click();
    const settings = panelIn(page).getByRole('alert');
    await settings.getByText('This part of the page could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Mini-map' }).click();
    await missing(page).nth(1).waitFor();
    await page.unroute(asset('(step-panel|mini-map)'));
    // Some browsers keep the failure until the page is left: then the page is loaded again, and the mini-map with it.
    await settings.getByRole('button', { name: 'Try again' }).click();
    await panelIn(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Add all up');
    await page.route(asset('publish-dialog'), gone);
    await page.getByRole('button', { name: 'Publish' }).click();
    const missingDialog = missing(page).filter({ has: page.getByRole('button', { name: 'Close' }) });
    await missingDialog.waitFor();
    await expectAccessible(page);
    await page.unroute(asset('publish-dialog'));
    await missingDialog.getByRole('button', { name: 'Reload the page' }).click();
    await saved(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog', { name: 'Publish' }).waitFor();

    expect((await stepOf(person, flowId, 'sum')).displayName).toBe('Add all up');
  });

  it('can be closed where it would lie over a page', async () => {
    const page = await open('/flows');
    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
    await page.route(asset('palette'), cut);

    await page.keyboard.press('Control+K');
    await missing(page).waitFor();
    await expectAccessible(page);
    await missing(page).getByRole('button', { name: 'Close' }).click();

    await missing(page).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
  });

  it('is said also when it is what the page begins with', async () => {
    const page = await open('/flows');
    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
    await page.route(asset('index'), cut);

    await page.reload();
    const again = page.getByRole('link', { name: 'Reload the page' });
    await again.waitFor();
    await page.unroute(asset('index'));
    await again.click();

    await page.getByRole('row', { name: /^Order intake/ }).waitFor();
  });
});
