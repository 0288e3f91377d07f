import { webhookTrigger } from '@millrace/domain/testing';
import { installPackage, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { panelIn, saved, stepOf, write } from './testing/step-panel';

const NAME = `@console/piece-greetings-${Date.now()}`;

/** A piece with one action and two triggers, of which flows can have the first. */
const SOURCE = `
const text = { type: 'SHORT_TEXT', displayName: 'Whom', required: true };
const actions = { greet: { name: 'greet', displayName: 'Greet politely', description: 'Says hello.', requireAuth: false,
  props: { whom: text }, run: async ({ propsValue }) => ({ said: 'Hello ' + propsValue.whom }) } };
const trigger = (name, displayName, type) => ({ name, displayName, type, description: '', props: {}, sampleData: {},
  run: async () => [], test: async () => [], onEnable: async () => {}, onDisable: async () => {} });
const triggers = { came: trigger('came', 'Guest came', 'POLLING'), called: trigger('called', 'Guest called', 'MANUAL') };
exports.greetings = {
  metadata: () => ({ displayName: 'Greetings', actions, triggers }),
  actions: () => actions, triggers: () => triggers,
  getAction: (name) => actions[name], getTrigger: (name) => triggers[name],
  getContextInfo: () => ({ version: '2' }),
};`;

describe('a step of an installed package', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    await installPackage(new ServiceClient(baseUrl, adminApiKey), NAME, SOURCE);
    person = await newPerson('Greetings');
  });

  it('is found in the palette, asks for its inputs, and runs', async () => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Greet');
    await client.importFlow(id, 'Greet', webhookTrigger());
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('button', { name: 'Add step', exact: true }).click();
    const palette = page.getByRole('dialog').getByRole('combobox');
    await page.getByRole('group', { name: 'Apps' }).getByRole('option').first().waitFor();
    await expectAccessible(page);

    await write(palette, 'greet politely');
    await page.getByRole('option', { name: /^Greet politely Greetings/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await write(panelIn(page).getByRole('textbox', { name: 'Whom *' }), 'Ada');
    await saved(page);
    expect(await stepOf(person, id, 'step_1')).toMatchObject({
      settings: { pieceName: NAME, pieceVersion: '1.0.0', actionName: 'greet', input: { whom: 'Ada' } },
    });

    await panelIn(page).getByRole('tab', { name: 'Test' }).click();
    await panelIn(page).getByRole('button', { name: 'Test step' }).click();
    await panelIn(page).getByText('Hello Ada').waitFor();
  });

  it('is a trigger only where it polls', async () => {
    const { id } = await person.client.createFlow(person.projectId, 'Guests');
    const { page } = await visit();
    await signInTo(page, `/flows/${id}?step=trigger`, person);
    await panelIn(page).getByRole('button', { name: 'Choose a trigger' }).click();

    await write(page.getByRole('dialog').getByRole('combobox'), 'guest');
    await page.getByRole('option', { name: /^Guest came/ }).waitFor();
    expect(await page.getByRole('option', { name: /^Guest called/ }).count()).toBe(0);
  });

  it('opens a package of the catalogue, and leads back, by the keyboard', async () => {
    const { id } = await person.client.createFlow(person.projectId, 'Tables');
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('button', { name: 'Add step', exact: true }).click();
    const first = page.getByRole('group', { name: 'Apps' }).getByRole('option').first();
    const [, app = ''] = /^(.*) \d+ actions?/.exec((await first.textContent()) ?? '') ?? [];

    await write(page.getByRole('dialog').getByRole('combobox'), app);
    await page.getByRole('option', { name: new RegExp(`^${app} \\d+ action`), selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: app, exact: true }).getByRole('option').first().waitFor();
    await takePicture(page, 'palette-app');
    await expectAccessible(page);
    await page.keyboard.press('Backspace');
    await page.getByRole('group', { name: 'Installed' }).waitFor();
  });

  it('is not offered from the catalogue where only administrators install packages', async () => {
    const { id } = await person.client.createFlow(person.projectId, 'Careful');
    const { page } = await visit();
    await page.route('**/api/v1/installation', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), piecePackages: 'admin' } });
    });
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('button', { name: 'Add step', exact: true }).click();

    await write(page.getByRole('dialog').getByRole('combobox'), 'no such action');
    await page.getByText('Nothing matches.').waitFor();
    await write(page.getByRole('dialog').getByRole('combobox'), 'greet politely');
    await page.getByRole('option', { name: /^Greet politely Greetings/ }).waitFor();
    await write(page.getByRole('dialog').getByRole('combobox'), 'e');
    await page.getByRole('option').nth(5).waitFor();
    expect(await page.getByRole('group', { name: 'Apps' }).count()).toBe(0);
  });

  it('says why the package of a step is missing, and keeps its input', async () => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Missing');
    const settings = { pieceName: '@nobody/piece-nothing', pieceVersion: '1.0.0', actionName: 'a', input: { kept: 1 } };
    const step = { name: 'step_1', displayName: 'Nothing', type: 'PIECE', valid: true, settings };
    await client.importFlow(id, 'Missing', webhookTrigger([step as never]));
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\/pieces\/%40nobody/, 404);

    await signInTo(page, `/flows/${id}?step=step_1`, person);

    await panelIn(page).getByRole('alert').getByText('is not installed').waitFor();
    await panelIn(page).getByText('"kept"').waitFor();
    await expectAccessible(page);
  });
});
