import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { enter, newPerson, signInTo, type Person } from './testing/people';

describe('the way in', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Guests');
    await person.client.createFlow(person.projectId, 'Shown to guests');
  });

  const invite = async (email: string, role = 'EDITOR') => {
    const invitation = { email, projectId: person.projectId, role };
    return (await person.client.must<{ token: string }>('POST', '/user-invitations', invitation)).token;
  };
  const seesTheFlows = (page: Page) => page.getByRole('row', { name: /Shown to guests/ }).waitFor();

  it('needs an invitation where sign-up is closed, and says so', async () => {
    const { page } = await visit();
    await page.goto('/sign-up');
    await page.getByText('Signing up needs an invitation.').waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Sign in instead' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
  });

  it('is a link that an administrator makes, and that is shown once', async () => {
    const { page: mine } = await visit();
    const email = `${randomUUID()}@millrace.test`;
    await signInTo(mine, `/settings/members?projectId=${person.projectId}`, person);
    await mine.getByRole('button', { name: 'Invite' }).click();
    await mine.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await mine.getByRole('combobox', { name: 'Role' }).selectOption('Viewer: sees everything, changes nothing');
    await mine.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const link = await mine.getByText(/\/sign-up#invitation=/).innerText();
    await mine.getByRole('button', { name: 'Done' }).click();
    await mine.getByRole('row', { name: new RegExp(`${email} Viewer`) }).waitFor();
    expect(await mine.content()).not.toContain(link);

    const { page: theirs } = await visit();
    await theirs.goto(link);
    await theirs.getByRole('textbox', { name: 'First name' }).fill('Ada');
    await theirs.getByRole('textbox', { name: 'Last name' }).fill('Lovelace');
    await theirs.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await theirs.getByLabel('Password').fill(person.password);
    await expectAccessible(theirs);
    await theirs.getByRole('button', { name: 'Create account and accept' }).click();

    await seesTheFlows(theirs);
    expect(theirs.url()).not.toContain('invitation');
    await mine.reload();
    await mine.getByRole('row', { name: /^Ada Lovelace .* Viewer/ }).waitFor();
  });

  it('is open to people who have an account, also when they are signed in already', async () => {
    const [guest, other] = [await newPerson('Of the guest'), await newPerson('Of another')];
    const { page } = await visit();
    await page.goto(`/sign-up#invitation=${await invite(guest.email)}`);
    await page.getByRole('button', { name: 'I have an account' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(guest.email);
    await page.getByLabel('Password').fill(guest.password);
    await page.getByRole('button', { name: 'Sign in and accept' }).click();
    await seesTheFlows(page);

    const { page: second } = await visit();
    await signInTo(second, '/flows', other);
    await second.goto(`/sign-up#invitation=${await invite(other.email)}`);
    await second.getByText(`You are signed in as ${other.email}.`).waitFor();
    await expectAccessible(second);
    await second.getByRole('button', { name: 'Accept invitation' }).click();
    await seesTheFlows(second);
  });

  it('is refused to others, who can sign in as the one who is invited', async () => {
    const [guest, other] = [await newPerson('Of the guest'), await newPerson('Of another')];
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/accept/);
    await signInTo(page, '/flows', other);
    await page.goto(`/sign-up#invitation=${await invite(guest.email)}`);

    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('alert').getByText('There is no open user invitation').waitFor();

    await page.getByRole('button', { name: 'Sign in as somebody else' }).click();
    await page.getByRole('button', { name: 'I have an account' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(guest.email);
    await page.getByLabel('Password').fill(guest.password);
    await page.getByRole('button', { name: 'Sign in and accept' }).click();
    await seesTheFlows(page);
  });

  it('leads a person without any project to one of their own', async () => {
    const nobody = await newPerson('Deleted');
    await nobody.client.must('DELETE', `/projects/${nobody.projectId}`);
    const { page } = await visit();
    await page.goto('/runs');
    await enter(page, nobody);

    await page.getByRole('heading', { name: 'No project', level: 1 }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('textbox', { name: 'Name of the project' }).fill('A new start');
    await page.getByRole('button', { name: 'Create project' }).click();

    await page.getByText('There is no flow yet.').waitFor();
    await page.getByRole('combobox', { name: 'Project' }).getByRole('option', { name: 'A new start' }).waitFor({
      state: 'attached',
    });
  });
});
