import { webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { serviceUnderTest } from '@millrace/e2e-support';
import { visits } from './testing/browser';
import { newMember, newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';

describe('the settings', () => {
  const visit = visits();
  const { adminEmail: email, adminPassword: password } = serviceUnderTest();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Settings');
  });

  const places = async (page: Page) =>
    page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts();
  const actOn = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions of ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('are those that the role may see, and others say so', async () => {
    const viewer = await newMember(person, 'VIEWER');
    const { page } = await visit();
    await signInTo(page, '/settings', viewer);
    await page.getByRole('heading', { name: 'Project', level: 1 }).waitFor();

    expect(await places(page)).toEqual(['Project', 'Members', 'Stored values', 'This installation']);
    expect(await page.getByRole('button', { name: /^(Delete|Rename)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row', { name: /^Grace Hopper/ }).waitFor();
    expect(await page.getByRole('button', { name: /^(Invite|Actions)/ }).count()).toBe(0);
    await page.goto('/settings/audit');
    await page.getByText('Your role in this project does not include this.').waitFor();
  });

  it('rename a project, and delete it when its name was typed', async () => {
    const { page } = await visit();
    const projectId = await person.client.createProject('Before');
    await signInTo(page, `/settings/project?projectId=${projectId}`, person);

    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('After');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Project' }).locator(':checked').innerText()).toBe('After');

    await page.getByRole('button', { name: 'Delete project…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete After?' });
    await dialog.getByRole('textbox').fill('Before');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await dialog.getByRole('alert').getByText('That is not the name of this project.').waitFor();
    await dialog.getByRole('textbox').fill('After');
    await dialog.getByRole('button', { name: 'Delete project' }).click();

    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    expect((await person.client.request('GET', `/projects/${projectId}`)).status).toBe(404);
  });

  it('say that a project of the address is not there', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/projects/);
    const foreign = await newPerson('Foreign');
    await signInTo(page, '/flows', person);
    await page.goto(`/flows?projectId=${foreign.projectId}`);

    await page.getByText('There is no such project, or you may not see it.').waitFor();
    await page.getByRole('link', { name: 'Go to your flows' }).click();
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  });

  it('change the role of a member, and remove one', async () => {
    const team = await newPerson('Team');
    const member = await newMember(team, 'VIEWER');
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/project-members/);
    await signInTo(page, `/settings/members?projectId=${team.projectId}`, team);

    await page.getByRole('row', { name: /^Ada Lovelace .* Viewer/ }).waitFor();
    await actOn(page, 'Ada Lovelace', 'Change role…');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).selectOption('Editor: also builds flows');
    await page.getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('row', { name: /^Ada Lovelace .* Editor/ }).waitFor();
    await member.client.createFlow(team.projectId, 'Made by the editor');

    await actOn(page, 'Ada Lovelace', 'Remove…');
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('row', { name: /^Ada Lovelace/ }).waitFor({ state: 'detached' });

    await actOn(page, 'Grace Hopper', 'Remove…');
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page
      .getByRole('alert')
      .getByText(/administrator/i)
      .waitFor();
  });

  it('take an invitation back', async () => {
    const { page } = await visit();
    const invitation = { email: 'guest@millrace.test', projectId: person.projectId, role: 'VIEWER' };
    const { token } = await person.client.must<{ token: string }>('POST', '/user-invitations', invitation);
    await signInTo(page, '/settings/members', person);

    await page.getByRole('button', { name: 'Take back… (guest@millrace.test)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Nobody is invited.').waitFor();
    expect((await person.client.request('POST', '/user-invitations/accept', { token })).status).toBe(404);
  });

  it('make event destinations, whose deliveries are seen and sent again', async () => {
    const { page } = await visit();
    const projectId = await person.client.createProject('Events');
    await signInTo(page, `/settings/event-destinations?projectId=${projectId}`, person);

    await page.getByRole('button', { name: 'New destination' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://events.millrace.test/in');
    await page.getByRole('checkbox', { name: 'flow.created' }).check();
    await page.getByRole('button', { name: 'Create destination' }).click();
    const secret = await page.getByText(/^whsec_/).innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('link', { name: 'https://events.millrace.test/in' }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('It did not arrive').waitFor();
    await page.getByText('Nothing was sent there yet.').waitFor();

    await person.client.createFlow(projectId, 'Tells the outside');
    const delivery = page.getByRole('row', { name: /flow\.created/ });
    await delivery.getByText(/could not be|not be found|no answer/i).waitFor();
    await delivery.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('It is sent again.').waitFor();

    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('button', { name: 'Disable destination' }).click();
    await page.getByRole('button', { name: 'Enable…' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete destination' }).click();
    await page.getByText('Events are sent nowhere yet.').waitFor();
  });

  it('show and change the values that flows keep', async () => {
    const { page } = await visit();
    const projectId = await person.client.createProject('Store');
    await signInTo(page, `/settings/store?projectId=${projectId}`, person);
    const valueOf = async () =>
      (await person.client.must<{ data: { value: unknown }[] }>('GET', `/store-entries?projectId=${projectId}`)).data;

    await page.getByRole('button', { name: 'New value' }).click();
    await page.getByRole('textbox', { name: 'Key' }).fill('last_order');
    await page.getByRole('textbox', { name: 'Value, as JSON' }).fill('{"order": 1042');
    await page.getByRole('button', { name: 'Save value' }).click();
    await page.getByRole('alert').getByText('This is no JSON').waitFor();
    await page.getByRole('textbox', { name: 'Value, as JSON' }).fill('{"order": 1042}');
    await page.getByRole('button', { name: 'Save value' }).click();
    await page.getByRole('row', { name: /^last_order Project {"order":1042}/ }).waitFor();

    await actOn(page, 'last_order', 'Open…');
    await page.getByRole('textbox', { name: 'Value, as JSON' }).fill('7');
    await page.getByRole('button', { name: 'Save value' }).click();
    await page.getByRole('row', { name: /^last_order Project 7/ }).waitFor();
    expect(await valueOf()).toMatchObject([{ value: 7 }]);

    await actOn(page, 'last_order', 'Remove…');
    await page.getByRole('button', { name: 'Remove value' }).click();
    await page.getByText('Nothing is kept yet.').waitFor();
    expect(await valueOf()).toEqual([]);
  });

  it('have the log of who did what, filtered in the address', async () => {
    const { page } = await visit();
    const team = await newPerson('Audited');
    const connection = { externalId: 'shop', displayName: 'Shop', type: 'NO_AUTH' };
    await team.client.must('POST', '/connections', { ...connection, projectId: team.projectId });
    await team.client.must('POST', '/api-keys', { displayName: 'CI', projectId: team.projectId });
    await signInTo(page, '/settings/audit', team);

    await page.getByRole('row', { name: /Grace Hopper API key made/ }).waitFor();
    await page.getByRole('combobox', { name: 'What' }).selectOption('Connection made or replaced');
    await page.getByRole('row', { name: /API key made/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Grace Hopper Connection made or replaced/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBe('connection.upserted');
  });

  it('name in that log what it is about, with the id beside', async () => {
    const { page } = await visit({ viewport: { width: 768, height: 1024 } });
    const team = await newPerson('Named');
    const { id } = await team.client.publishFlow(team.projectId, 'Order intake', webhookTrigger());
    const connection = { externalId: 'shop', displayName: 'Lamp shop', type: 'NO_AUTH' };
    await team.client.must('POST', '/connections', { ...connection, projectId: team.projectId });
    await signInTo(page, '/settings/audit', team);

    await page.getByRole('row', { name: new RegExp(`Grace Hopper Flow published Order intake ${id}`) }).waitFor();
    await page.getByRole('row', { name: /Connection made or replaced Lamp shop [0-9a-f-]{36}/ }).waitFor();
    await takePicture(page, 'audit-768');
  });

  it('show the workers to administrators of the installation alone', async () => {
    const { page } = await visit();
    await signInTo(page, '/settings/installation', person);
    await page.getByText('by invitation').waitFor();
    expect(await page.getByRole('heading', { name: 'Workers' }).count()).toBe(0);

    const { page: administrators } = await visit();
    await signInTo(administrators, '/settings/installation', { email, password });
    await administrators.getByRole('table', { name: 'Workers' }).getByText('Online').first().waitFor();
  });
});
