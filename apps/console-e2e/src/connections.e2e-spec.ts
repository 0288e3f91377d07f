import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newMember, newPerson, signInTo, type Person } from './testing/people';

const SECRET = 'nobody-may-read-this-7f3a';
const PROVIDER = 'https://id.provider.test';

interface Connection {
  id: string;
  externalId: string;
  type: string;
}

describe('connections', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Connections');
  });

  const listed = async (projectId: string) =>
    (await person.client.must<{ data: Connection[] }>('GET', `/connections?projectId=${projectId}`)).data;
  const open = async (page: Page) => {
    const projectId = await person.client.createProject('Connections');
    await signInTo(page, `/connections?projectId=${projectId}`, person);
    await page.getByText('There is no connection in this project yet.').waitFor();
    await page.getByRole('button', { name: 'New connection' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('My <b>Warehouse</b>');
    return projectId;
  };
  const make = ({ client, projectId }: Pick<Person, 'client' | 'projectId'>) =>
    client.must<Connection>('POST', '/connections', {
      projectId,
      externalId: 'warehouse',
      displayName: 'Warehouse',
      type: 'SECRET_TEXT',
      value: { secret_text: SECRET },
    });
  const choose = (page: Page, kind: string) => page.getByRole('combobox', { name: 'Kind' }).selectOption(kind);
  const connect = (page: Page) => page.getByRole('button', { name: 'Connect', exact: true }).click();

  it.each<[string, string, (page: Page) => Promise<void>]>([
    ['SECRET_TEXT', 'Secret text', (page) => page.getByLabel('Secret', { exact: true }).fill(SECRET)],
    [
      'BASIC_AUTH',
      'User name and password',
      async (page) => {
        await page.getByLabel('User name').fill('ada');
        await page.getByLabel('Password').fill(SECRET);
      },
    ],
    [
      'CUSTOM_AUTH',
      'Several values',
      async (page) => {
        await page.getByLabel('Name of the value').fill('token');
        await page.getByLabel('Value of token').fill(SECRET);
      },
    ],
    [
      'CUSTOM_AUTH',
      'Mail server (SMTP)',
      async (page) => {
        await page.getByLabel('Host').fill('mail.test');
        await page.getByLabel('Port').fill('587');
        await page.getByLabel('From').fill('ada@mail.test');
        await page.getByLabel('Password').fill(SECRET);
      },
    ],
    ['NO_AUTH', 'No credentials', async () => undefined],
  ])('are made: %s as “%s”, and what they hold is nowhere afterwards', async (type, kind, fill) => {
    const { page } = await visit();
    const projectId = await open(page);

    await choose(page, kind);
    await fill(page);
    await expectAccessible(page);
    await connect(page);

    await page.getByRole('heading', { name: 'My <b>Warehouse</b>', level: 1 }).waitFor();
    await page.getByText("{{connections['my_b_warehouse_b']}}").waitFor();
    expect(await listed(projectId)).toMatchObject([{ type, externalId: 'my_b_warehouse_b' }]);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(`${await page.content()}${kept as string}`).not.toContain(SECRET);
  });

  it('by OAuth 2.0 wait for the consent in a window of the provider', async () => {
    const { page, context, complaints } = await visit();
    complaints.expectRequestsTo(PROVIDER);
    const projectId = await open(page);
    await context.route(`${PROVIDER}/auth**`, (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ code: 'the-code', state: asked.get('state') ?? '' });
      return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${answer.toString()}` } });
    });
    // The service cannot reach this provider, so what it is sent is looked at, and a secret is kept in its place.
    let sent: unknown;
    await page.route('**/api/v1/connections', (route) => {
      const { value, ...names } = route.request().postDataJSON() as Record<string, unknown>;
      sent = value;
      const postData = JSON.stringify({ ...names, type: 'SECRET_TEXT', value: { secret_text: SECRET } });
      return route.continue({ postData });
    });

    await choose(page, 'OAuth 2.0');
    await page.getByLabel('Client ID').fill('flows');
    await page.getByLabel('Client secret').fill(SECRET);
    await page.getByLabel('Authorization URL').fill(`${PROVIDER}/auth`);
    await page.getByLabel('Token URL').fill(`${PROVIDER}/token`);
    await connect(page);

    await page.getByRole('heading', { name: 'My <b>Warehouse</b>', level: 1 }).waitFor();
    expect(await listed(projectId)).toHaveLength(1);
    expect(sent).toMatchObject({
      client_id: 'flows',
      client_secret: SECRET,
      token_url: `${PROVIDER}/token`,
      code: 'the-code',
      state: expect.stringMatching(/./),
      redirect_url: expect.stringMatching(/\/connections\/oauth2$/),
    });
  });

  it('that the provider refuses say so, and keep what was typed', async () => {
    const { page, context, complaints } = await visit();
    complaints.expectRequestsTo(PROVIDER);
    const projectId = await open(page);
    await context.route(`${PROVIDER}/auth**`, (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ error: 'access_denied', state: asked.get('state') ?? '' });
      return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${answer.toString()}` } });
    });

    await choose(page, 'OAuth 2.0');
    await page.getByLabel('Client ID').fill('flows');
    await page.getByLabel('Authorization URL').fill(`${PROVIDER}/auth`);
    await page.getByLabel('Token URL').fill(`${PROVIDER}/token`);
    await connect(page);

    await page.getByRole('alert').getByText('The provider gave no consent: access_denied').waitFor();
    expect(await page.getByLabel('Client ID').inputValue()).toBe('flows');
    expect(await listed(projectId)).toEqual([]);
  });

  it('never replace another by accident', async () => {
    const { page } = await visit();
    const projectId = await open(page);
    await make({ ...person, projectId });

    await page.getByRole('textbox', { name: 'Name in expressions' }).fill('warehouse');
    await choose(page, 'No credentials');
    await connect(page);

    await page
      .getByRole('alert')
      .getByText('There is a connection called “warehouse” in expressions already.')
      .waitFor();
    expect(await listed(projectId)).toMatchObject([{ type: 'SECRET_TEXT' }]);
  });

  it('are tested and reconnected, say which flows use them, and ask before they are deleted', async () => {
    const projectId = await person.client.createProject('Used');
    const { id } = await make({ ...person, projectId });
    const flow = await person.client.createFlow(projectId, 'Tells the warehouse');
    const settings = {
      sourceCode: { code: 'export const code = async () => 1;', packageJson: '{}' },
      input: { key: "{{ connections['warehouse'] }}" },
    };
    await person.client.must('POST', `/flows/${flow.id}`, {
      type: 'ADD_ACTION',
      request: {
        parentStep: 'trigger',
        stepLocationRelativeToParent: 'AFTER',
        action: { name: 'tell', displayName: 'Tell', type: 'CODE', settings },
      },
    });
    const { page } = await visit();
    await signInTo(page, `/connections?projectId=${projectId}`, person);
    await page.getByRole('table', { name: 'Connections' }).getByRole('link', { name: 'Warehouse' }).click();

    await page.getByRole('link', { name: 'Tells the warehouse' }).waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('status').getByText('It works').waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Reconnect…' }).click();
    await page.getByLabel('Secret', { exact: true }).fill('another');
    await connect(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await listed(projectId)).toMatchObject([{ id, type: 'SECRET_TEXT' }]);

    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Warehouse?' });
    await dialog.getByRole('link', { name: 'Tells the warehouse' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await page.getByText('There is no connection in this project yet.').waitFor();
    expect(await listed(projectId)).toEqual([]);
  });

  it('are only looked at by a viewer', async () => {
    const owner = await newPerson('Watched');
    const { id } = await make(owner);
    const viewer = await newMember(owner, 'VIEWER');
    const { page } = await visit();
    await signInTo(page, '/connections', viewer);

    await page.getByRole('row', { name: /Warehouse/ }).waitFor();
    expect(await page.getByRole('button', { name: 'New connection' }).count()).toBe(0);
    await page.goto(`/connections/${id}`);
    await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor();
    for (const name of [/^Test/, /^Reconnect/, /^Delete/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  it('that are not there say so, and lead back', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/connections/);
    await signInTo(page, '/connections/half-typed', person);

    await page.getByText('There is no such connection, or you may not see it.').waitFor();
    await page.getByText('half-typed').waitFor();
    await page.getByRole('link', { name: 'Go to your connections' }).click();
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
  });
});
