import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const ADD_UP = `export const code = async ({ prices }) => {
  const sum = prices.reduce((sum, price) => sum + price, 0);
  return { sum };
};`;
const WITH_TAX = ADD_UP.replace('return { sum }', 'return { sum: sum * 1.2 }');

const flowThat = (code: string, name = 'Add up') =>
  webhookTrigger([codeStep('add_up', { prices: '{{trigger.body.prices}}' }, code, { displayName: name })]);

describe('the versions of a flow', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Orders');
  });

  const rows = (page: Page) => page.getByRole('table', { name: 'Versions' }).getByRole('row');
  const comparison = (page: Page) => page.getByRole('region', { name: 'Compare two versions' });
  /** A flow that was published, and whose draft adds a tax and a step. */
  const publishAndEdit = async () => {
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', flowThat(ADD_UP));
    const tell = codeStep('tell', {}, undefined, { displayName: 'Tell <b>all</b>' });
    const { nextAction, ...trigger } = flowThat(WITH_TAX);
    await person.client.importFlow(id, 'Order intake', {
      ...trigger,
      nextAction: { ...nextAction!, nextAction: tell },
    });
    return id;
  };
  const codeOf = async (id: string): Promise<string> => {
    const { version } = await person.client.must<{ version: { trigger: ReturnType<typeof flowThat> } }>(
      'GET',
      `/flows/${id}`,
    );
    return (version.trigger.nextAction?.settings as { sourceCode: { code: string } }).sourceCode.code;
  };

  it('are listed from the editor on, the newest first, with what each is for the flow', async () => {
    const id = await publishAndEdit();
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);

    await page.getByRole('button', { name: 'Versions' }).click();

    await page.getByRole('heading', { name: 'Versions of Order intake', level: 1 }).waitFor();
    await rows(page).nth(2).waitFor();
    expect(await rows(page).nth(1).innerText()).toContain('Draft');
    expect(await rows(page).nth(2).innerText()).toContain('Published');
  });

  it('show what each changed, line by line, at an address that shows the same again', async () => {
    const id = await publishAndEdit();
    const { page } = await visit();
    await signInTo(page, `/flows/${id}/versions`, person);

    await rows(page).nth(1).getByRole('link').click();

    const shown = comparison(page);
    await shown.getByRole('region', { name: 'Added' }).getByText('Tell <b>all</b> after Add up').waitFor();
    const changed = shown.getByRole('region', { name: 'Changed' });
    await changed.getByText('settings › sourceCode › code').waitFor();
    expect(await changed.getByRole('deletion').allInnerTexts()).toEqual(['  return { sum };']);
    expect(await changed.getByRole('insertion').allInnerTexts()).toEqual(['  return { sum: sum * 1.2 };']);
    await page.reload();
    await changed.getByRole('insertion').waitFor();
    expect(new URL(page.url()).search).toMatch(/to=.+from=/);
  });

  it('can be compared in any order', async () => {
    const id = await publishAndEdit();
    const { page } = await visit();
    await signInTo(page, `/flows/${id}/versions`, person);
    await rows(page).nth(2).waitFor();

    const choices = comparison(page).getByRole('combobox', { name: 'From' }).getByRole('option');
    const [draft = '', published = ''] = await choices.allInnerTexts();
    await comparison(page).getByRole('combobox', { name: 'From' }).selectOption({ label: draft });
    await comparison(page).getByRole('combobox', { name: 'To' }).selectOption({ label: published });

    await comparison(page).getByRole('region', { name: 'Removed' }).getByText('Tell <b>all</b>').waitFor();
  });

  it('become the draft again, after the dialog said what the draft loses', async () => {
    const id = await publishAndEdit();
    const { page } = await visit();
    await signInTo(page, `/flows/${id}/versions`, person);

    await rows(page).nth(2).getByRole('button', { name: 'Use as draft…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/What only the draft has is lost/).waitFor();
    await dialog.getByRole('region', { name: 'Removed' }).getByText('Tell <b>all</b>').waitFor();
    expect(await codeOf(id)).toBe(WITH_TAX);
    await dialog.getByRole('button', { name: 'Use as draft' }).click();

    await dialog.getByRole('status').getByText('The draft is what that version was.').waitFor();
    expect(await codeOf(id)).toBe(ADD_UP);
  });

  it('do not replace a draft that was changed after the dialog showed it', async () => {
    const id = await publishAndEdit();
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\/flows\//);
    await signInTo(page, `/flows/${id}/versions`, person);
    await rows(page).nth(2).getByRole('button', { name: 'Use as draft…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Removed' }).waitFor();

    await person.client.importFlow(id, 'Order intake', flowThat(WITH_TAX, 'Sum'));
    await dialog.getByRole('button', { name: 'Use as draft' }).click();

    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('region', { name: 'Changed' }).getByText('Sum').first().waitFor();
    expect(await codeOf(id)).toBe(WITH_TAX);
    await dialog.getByRole('button', { name: 'Use as draft' }).click();
    await dialog.getByRole('status').getByText('The draft is what that version was.').waitFor();
    expect(await codeOf(id)).toBe(ADD_UP);
  });

  it('of a flow that is not there show that nothing is', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\/flows\//);
    await signInTo(page, '/flows/0199f000-0000-7000-8000-000000000001/versions', person);
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  });
});

describe('publishing a flow', () => {
  const visit = visits();

  it('shows first what changes in what runs, and which runs end without the change', async () => {
    const person = await newPerson('Orders');
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', flowThat(ADD_UP));
    await person.client.importFlow(id, 'Order intake', flowThat(WITH_TAX));
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);

    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    const changes = dialog.getByRole('region', { name: 'What changes' });
    await changes.getByText('return { sum: sum * 1.2 };').waitFor();
    await changes.getByText('No run is on its way.').waitFor();
    await dialog.getByRole('textbox', { name: 'Why, in a sentence' }).fill('The tax was <b>missing</b>.');
    await dialog.getByRole('button', { name: 'Publish' }).click();

    await page.getByRole('status').getByText('The flow is published and enabled.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Versions' }).click();
    const newest = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
    await newest.getByText('The tax was <b>missing</b>.').waitFor();
    await newest.getByText('published by Grace Hopper').waitFor();
  });

  it('says that nothing runs yet when it is the first time', async () => {
    const person = await newPerson('Orders');
    const { id } = await person.client.createFlow(person.projectId, 'Order intake');
    await person.client.importFlow(id, 'Order intake', flowThat(ADD_UP));
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);

    await page.getByRole('button', { name: 'Publish' }).click();

    await page.getByRole('dialog').getByText('The flow is published for the first time.').waitFor();
  });
});
