import { readFileSync } from 'node:fs';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newMember, newPerson, signInTo, type Person } from './testing/people';

interface Flow {
  id: string;
  status: string;
  folderId: string | null;
  version: { displayName: string };
}

describe('the list of flows, to act on', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Flows');
  });

  const row = (page: Page, name: string | RegExp) =>
    page.getByRole('table', { name: 'Flows' }).getByRole('row', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const flowsOf = async (projectId: string) =>
    (await person.client.must<{ data: Flow[] }>('GET', `/flows?projectId=${projectId}`)).data;
  /** A project with these flows, each published and enabled, and its list. */
  const open = async (page: Page, names: string[]) => {
    const projectId = await person.client.createProject('Flows');
    for (const name of names) await person.client.publishFlow(projectId, name, webhookTrigger());
    await signInTo(page, `/flows?projectId=${projectId}`, person);
    return projectId;
  };
  const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `${name}: select` }).check();

  it('disables, enables and deletes those that are selected, and says how many before', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['One', 'Two', 'Three']);
    await select(page, 'One');
    await select(page, 'Two');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Disable…' }).click();
    await dialog(page).getByRole('button', { name: 'Disable 2 flows' }).click();
    await page.getByRole('status').getByText('2 flows were disabled.').waitFor();
    await row(page, /^Two.*Disabled/).waitFor();
    expect((await flowsOf(projectId)).map(({ status }) => status)).toEqual(['ENABLED', 'DISABLED', 'DISABLED']);

    await page.getByRole('checkbox', { name: 'Select all flows on this page' }).check();
    await page.getByRole('button', { name: 'Enable…' }).click();
    await dialog(page).getByRole('button', { name: 'Enable 3 flows' }).click();
    await row(page, /^Two.*Enabled/).waitFor();

    await select(page, 'Three');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog(page).getByRole('listitem').getByText('Three').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete flow' }).click();
    await page.getByRole('status').getByText('The flow was deleted.').waitFor();
    await row(page, /^Three/).waitFor({ state: 'detached' });
    expect(await flowsOf(projectId)).toHaveLength(2);
  });

  it('says of each flow why it was not done, and does the others', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/flows/);
    const projectId = await open(page, ['Good']);
    await person.client.createFlow(projectId, 'Without a trigger');
    await page.reload();
    await page.getByRole('checkbox', { name: 'Select all flows on this page' }).check();

    await page.getByRole('button', { name: 'Enable…' }).click();
    await dialog(page).getByRole('button', { name: 'Enable 2 flows' }).click();

    await dialog(page).getByText('1 of 2 were done. These were not:').waitFor();
    await dialog(page).getByRole('heading', { name: 'Without a trigger' }).waitFor();
    await dialog(page).getByRole('alert').waitFor();
  });

  it('has folders: they are made, renamed and deleted, and flows are moved into them', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['Order intake', 'Refunds']);
    const folders = page.getByRole('navigation', { name: 'Folders' });

    await folders.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Ordres <b>');
    await page.getByRole('button', { name: 'Create folder' }).click();
    await page.getByText('No flow matches.').waitFor();
    await folders.getByRole('button', { name: 'Actions of Ordres <b>' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Orders');
    await page.getByRole('button', { name: 'Rename folder' }).click();
    await folders.getByRole('link', { name: 'Orders' }).waitFor();

    await folders.getByRole('link', { name: 'All flows' }).click();
    await select(page, 'Order intake');
    await page.getByRole('button', { name: 'Move…' }).click();
    await dialog(page).getByRole('combobox', { name: 'Folder' }).selectOption('Orders');
    await dialog(page).getByRole('button', { name: 'Move flow' }).click();
    await page.getByRole('status').getByText('The flow was moved.').waitFor();

    await folders.getByRole('link', { name: 'Orders' }).click();
    await row(page, /^Refunds/).waitFor({ state: 'detached' });
    await row(page, /^Order intake/).waitFor();
    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('textbox', { name: 'Name of the flow' }).fill('Made in the folder');
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Outline' }).waitFor();
    const [newest] = await flowsOf(projectId);
    expect(newest?.folderId).toEqual(expect.any(String));

    await page.goBack();
    await folders.getByRole('button', { name: 'Actions of Orders' }).click();
    await page.getByRole('menuitem', { name: 'Delete folder…' }).click();
    await dialog(page).getByRole('button', { name: 'Delete folder' }).click();
    await row(page, /^Refunds/).waitFor();
    expect((await flowsOf(projectId)).map(({ folderId }) => folderId)).toEqual([null, null, null]);
  });

  it('exports flows as files, which are imported again with a report', async () => {
    const { page } = await visit();
    const projectId = await open(page, ['One', 'Two']);
    await page.getByRole('checkbox', { name: 'Select all flows on this page' }).check();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('flows.json');
    const text = readFileSync(await file.path(), 'utf8');

    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('radio', { name: 'A file or pasted JSON' }).check();
    const payload = { name: 'flows.json', mimeType: 'application/json', buffer: Buffer.from(text) };
    await page.getByLabel('Choose files').setInputFiles(payload);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create flow' }).click();

    await page.getByText('2 flows were imported').waitFor();
    expect((await flowsOf(projectId)).map(({ version }) => version.displayName).sort()).toEqual([
      'One',
      'One',
      'Two',
      'Two',
    ]);
  });

  it('makes a flow of pasted JSON, and says what is wrong before it is published', async () => {
    const { page } = await visit();
    await open(page, ['One']);
    await row(page, /^One/).waitFor();
    const definition = {
      displayName: 'Pasted <b>',
      schemaVersion: '20',
      trigger: webhookTrigger([codeStep('broken', {}, '')]),
      notes: [],
    };
    await paste(page, JSON.stringify(definition));

    await dialog(page).getByRole('textbox', { name: 'Flow as JSON' }).waitFor();
    await page.getByRole('button', { name: 'Create flow' }).click();
    await dialog(page).getByText('The step has no code.').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Open the flow' }).click();

    await page.getByRole('treeitem', { name: /broken/ }).waitFor();
    expect(await page.title()).toContain('Pasted <b>');
  });

  it('leaves no flow behind when an import is refused', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/flows/);
    const projectId = await open(page, []);
    await page.getByText('There is no flow yet.').waitFor();
    await paste(page, '{"displayName": "Too new", "schemaVersion": "999", "trigger": {}}');
    await page.getByRole('button', { name: 'Create flow' }).click();

    await dialog(page).getByRole('alert').getByText(/999/).waitFor();
    expect(await flowsOf(projectId)).toEqual([]);
    await page.getByRole('textbox', { name: 'Flow as JSON' }).fill('{"displayName": ');
    await page.getByRole('button', { name: 'Create flow' }).click();
    await dialog(page).getByRole('alert').getByText('This is no JSON').waitFor();
  });

  it('makes a flow of a template', async () => {
    const { page } = await visit();
    const projectId = await open(page, []);
    const trigger = webhookTrigger([codeStep('add_up', {}, undefined, { displayName: 'Add up' })]);
    const template = { displayName: 'Orders', trigger, schemaVersion: '20', notes: [] };
    await person.client.must('POST', '/templates', { projectId, template });

    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('radio', { name: 'A template' }).check();
    await page.getByRole('combobox', { name: 'Template' }).waitFor();
    await page.getByRole('textbox', { name: 'Name of the flow' }).fill('Of a template');
    await page.getByRole('button', { name: 'Create flow' }).click();

    await page.getByRole('treeitem', { name: /Add up/ }).waitFor();
    expect(await page.title()).toContain('Of a template');
  });

  it.each([
    ['Answer a call', 'Succeeded'],
    ['Add up an order', 'Succeeded'],
    ['Ask a person', 'Paused'],
  ])('begins with examples that run: “%s” is %s', async (name, status) => {
    const { page } = await visit();
    await open(page, []);
    await page.getByRole('button', { name: `Try “${name}”` }).click();
    await page.getByRole('heading', { name: /Example:/, level: 1 }).waitFor();
    await page.getByRole('main').getByText(status, { exact: true }).first().waitFor();
  });

  it('offers an operator to enable and disable, and a viewer nothing', async () => {
    const owner = await newPerson('Roles');
    await owner.client.publishFlow(owner.projectId, 'Looked at', webhookTrigger());
    const [operator, viewer] = [await newMember(owner, 'OPERATOR'), await newMember(owner, 'VIEWER')];
    const menuOf = async (page: Page) => {
      await page.getByRole('button', { name: 'Actions of Looked at' }).click();
      return page.getByRole('menuitem').allInnerTexts();
    };

    const { page: operators } = await visit();
    await signInTo(operators, '/flows', operator);
    await select(operators, 'Looked at');
    expect(await operators.getByRole('region', { name: 'Selection' }).getByRole('button').allInnerTexts()).toEqual([
      'Enable…',
      'Disable…',
      'Export',
      'Clear selection',
    ]);
    expect(await menuOf(operators)).toEqual(['Disable', 'Versions', 'Export']);

    const { page: viewers } = await visit();
    await signInTo(viewers, '/flows', viewer);
    expect(await menuOf(viewers)).toEqual(['Versions', 'Export']);
    expect(await viewers.getByRole('checkbox').count()).toBe(0);
    expect(await viewers.getByRole('button', { name: /^New/ }).count()).toBe(0);
  });
});

/** Pastes a text while no field has the focus. */
const paste = (page: Page, text: string): Promise<void> =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.setData('text/plain', ${JSON.stringify(text)});
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }`);
