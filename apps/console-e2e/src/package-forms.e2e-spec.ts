import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { openStep, panelIn, saved, stepOf, write } from './testing/step-panel';

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

const SHOPS = `@console/piece-shops-${Date.now()}`;

/** A piece to whose provider people sign in, where each shop has a host. */
const SHOPS_SOURCE = `
const auth = {
  type: 'OAUTH2', displayName: 'Shop', required: true, scope: [],
  authUrl: 'https://{shop}.shops.test/authorize', tokenUrl: 'https://{shop}.shops.test/token',
  props: { shop: { type: 'SHORT_TEXT', displayName: 'Name of the shop', required: true } },
};
const actions = { show: { name: 'show', displayName: 'Show', description: '', requireAuth: true, props: {}, run: async () => 1 } };
exports.shops = {
  auth, metadata: () => ({ displayName: 'Shops', auth, actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

const BILLS = `@console/piece-bills-${Date.now()}`;

/** A piece with a list of objects. */
const BILLS_SOURCE = `
const prop = (type, displayName, more) => ({ type, displayName, required: false, ...more });
const items = prop('ARRAY', 'Items', { required: true, properties: {
  name: prop('SHORT_TEXT', 'Name', { required: true }), amount: prop('NUMBER', 'Amount'),
  unit: prop('STATIC_DROPDOWN', 'Unit', { options: { options: [{ label: 'Pieces', value: 'pc' }] } }),
  more: prop('JSON', 'More') } });
const actions = { add: { name: 'add', displayName: 'Add', description: '', requireAuth: false, props: { items }, run: async () => 1 } };
exports.bills = {
  metadata: () => ({ displayName: 'Bills', actions, triggers: {} }),
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

  it('have a group of fields for each object in a list, which the keyboard adds and removes', async () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    await installPackage(new ServiceClient(baseUrl, adminApiKey), BILLS, BILLS_SOURCE);
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Bills');
    const step = pieceStep('send', { items: ['{{ trigger.body.item }}', { name: 'First', amount: 1 }] });
    const settings = { ...step.settings, pieceName: BILLS, pieceVersion: '1.0.0', actionName: 'add' };
    await client.importFlow(id, 'Bills', webhookTrigger([{ ...step, settings }]));
    const { page } = await visit();
    const itemAt = (number: number) => panelIn(page).getByRole('group', { name: `Items *, item ${number}` });
    const inputs = async () => (await stepOf(person, id, 'send')).settings['input'];

    await openStep(page, person, id, 'send');
    await write(itemAt(2).getByRole('textbox', { name: 'More' }), 'not yet JSON');
    await panelIn(page).getByRole('button', { name: 'Add to Items *' }).press('Enter');
    await write(itemAt(3).getByRole('textbox', { name: 'Name *' }), 'Of {{ trigger.body.name }}');
    await itemAt(3).getByRole('textbox', { name: 'Amount' }).fill('2.5');
    await itemAt(3).getByRole('combobox', { name: 'Unit' }).selectOption('Pieces');
    await saved(page);
    await expectAccessible(page);
    await takePicture(page, 'list-of-objects');
    expect(await inputs()).toEqual({
      items: [
        '{{ trigger.body.item }}',
        { name: 'First', amount: 1 },
        { name: 'Of {{ trigger.body.name }}', amount: 2.5, unit: 'pc' },
      ],
    });

    await panelIn(page).getByRole('button', { name: 'Remove 2 from Items *' }).press('Enter');
    await itemAt(3).waitFor({ state: 'detached' });
    await saved(page);
    expect(await itemAt(2).getByRole('textbox', { name: 'More' }).textContent()).toBe('');
    expect(await inputs()).toMatchObject({ items: ['{{ trigger.body.item }}', { amount: 2.5 }] });
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

  it('lead to the provider, with the app of an administrator or with a client of one’s own', async () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    const admin = new ServiceClient(baseUrl, adminApiKey);
    await installPackage(admin, SHOPS, SHOPS_SOURCE);
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Shops');
    const step = pieceStep('send', {});
    const settings = { ...step.settings, pieceName: SHOPS, pieceVersion: '1.0.0', actionName: 'show' };
    await client.importFlow(id, 'Shops', webhookTrigger([{ ...step, settings }]));
    const { page, context, complaints } = await visit();
    complaints.expectRequestsTo('https://lamps.shops.test');
    await context.route('https://lamps.shops.test/authorize**', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ code: `of ${asked.get('client_id')}`, state: asked.get('state') ?? '' });
      return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${answer.toString()}` } });
    });
    // The service cannot reach this provider, so what it is sent is looked at, and a secret is kept in its place.
    const sent: unknown[] = [];
    await page.route('**/api/v1/connections', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const {
        value,
        pieceName,
        pieceVersion: _version,
        ...names
      } = route.request().postDataJSON() as Record<string, unknown>;
      sent.push({ pieceName, value });
      const postData = JSON.stringify({ ...names, type: 'SECRET_TEXT', value: { secret_text: 'kept' } });
      return route.continue({ postData });
    });
    const signIn = async (name: string, own: Record<string, string>) => {
      const dialog = page.getByRole('dialog', { name: 'New connection' });
      await panelIn(page).getByRole('button', { name: 'New connection' }).click();
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('Sign in to Shops');
      await dialog.getByLabel('Name of the shop').fill('lamps');
      for (const [label, text] of Object.entries(own)) await dialog.getByLabel(label).fill(text);
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await dialog.waitFor({ state: 'detached' });
    };

    await openStep(page, person, id, 'send');
    await signIn('Own', { 'Client ID': 'mine', 'Client secret': 'my secret' });
    await admin.must('POST', '/oauth-apps', { pieceName: SHOPS, clientId: 'of-all', clientSecret: 'secret' });
    await page.reload();
    await panelIn(page).waitFor();
    await panelIn(page).getByRole('button', { name: 'New connection' }).click();
    expect(await page.getByRole('combobox', { name: 'Kind' }).inputValue()).toBe(`sign-in:${SHOPS}`);
    expect(await page.getByLabel('Client ID').count()).toBe(0);
    await page.keyboard.press('Escape');
    await signIn('Shared', {});

    const valueOf = (clientId: string) => ({
      ...{ code: `of ${clientId}`, state: expect.stringMatching(/./), props: { shop: 'lamps' } },
      redirect_url: expect.stringMatching(/\/connections\/oauth2$/),
    });
    expect(sent).toEqual([
      { pieceName: SHOPS, value: { ...valueOf('mine'), client_id: 'mine', client_secret: 'my secret' } },
      { pieceName: SHOPS, value: valueOf('of-all') },
    ]);
  });
});
