import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { openStep, panelIn, saved, stepOf } from './testing/step-panel';

const NAME = `@console/piece-folders-${Date.now()}`;
const LABEL = `Key (${NAME})`;

/** A piece with a connection that it checks, and with choices that depend on it. */
const SOURCE = `
const folder = { type: 'DROPDOWN', displayName: 'Folder', required: true, refreshers: ['auth'],
  options: async ({ auth }) => !auth ? { disabled: true, options: [], placeholder: 'Connect first.' } : ({ options: [{ label: 'Of ' + auth.secret_text.slice(0, 3), value: 'inbox' }] }) };
const actions = { add: { name: 'add', displayName: 'Add', description: '', requireAuth: true, props: { folder },
  run: async () => null } };
const auth = { type: 'SECRET_TEXT', displayName: 'Key', required: true,
  validate: async ({ auth }) => auth === 'abc-right' ? { valid: true } : { valid: false, error: 'Nobody knows this key.' } };
exports.folders = {
  auth,
  metadata: () => ({ displayName: '${NAME}', auth, actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

describe('the forms of a package', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    await installPackage(new ServiceClient(baseUrl, adminApiKey), NAME, SOURCE);
    person = await newPerson('Packages');
    await person.client.createProject('Another'); // so that a request has to name its project
  });

  it('say what the package wants before it has choices', async () => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Folders');
    const step = pieceStep('send', {});
    const settings = { ...step.settings, pieceName: NAME, pieceVersion: '1.0.0', actionName: 'add' };
    await client.importFlow(id, 'Folders', webhookTrigger([{ ...step, settings }]));
    const { page } = await visit();

    await openStep(page, person, id, 'send');

    await panelIn(page).getByText('Connect first.').waitFor();
  });

  it('have the choices that the package gives for the connection', async () => {
    const { client, projectId } = person;
    const connection = { projectId, externalId: 'key', displayName: 'Key', type: 'SECRET_TEXT' };
    await client.must('POST', '/connections', { ...connection, value: { secret_text: 'abc-right' } });
    const { id } = await client.createFlow(projectId, 'Folders');
    const step = pieceStep('send', { auth: "{{connections['key']}}" });
    const settings = { ...step.settings, pieceName: NAME, pieceVersion: '1.0.0', actionName: 'add' };
    await client.importFlow(id, 'Folders', webhookTrigger([{ ...step, settings }]));
    const { page } = await visit();

    await openStep(page, person, id, 'send');
    await panelIn(page).getByRole('combobox', { name: 'Folder' }).selectOption('Of abc');
    await saved(page);

    expect((await stepOf(person, id, 'send')).settings['input']).toMatchObject({ folder: 'inbox' });
  });

  it('say why a connection does not work, and store one that does', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\/connections$/, 400);
    await signInTo(page, `/connections?projectId=${person.projectId}`, person);
    await page.getByRole('button', { name: 'New connection' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Checked');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption(LABEL);
    const secret = page.getByLabel('Secret', { exact: true });

    await secret.fill('abc-wrong');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Nobody knows this key.').waitFor();

    await secret.fill('abc-right');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Checked', level: 1 }).waitFor();
  });
});
