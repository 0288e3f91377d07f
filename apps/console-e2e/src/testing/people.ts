import { randomUUID } from 'node:crypto';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import type { Page } from 'playwright-core';

export interface Person {
  email: string;
  password: string;
  /** Calls the api as this person. */
  client: ServiceClient;
  /** The project that was made for this person. */
  projectId: string;
}

const password = 'correct horse battery';

/** Makes a user who has one project. */
export async function newPerson(projectName = 'Orders'): Promise<Person> {
  const { baseUrl, adminApiKey } = serviceUnderTest();
  const admin = new ServiceClient(baseUrl, adminApiKey);
  const email = `${randomUUID()}@millrace.test`;
  await admin.must('POST', '/users', { email, password, firstName: 'Grace', lastName: 'Hopper' });
  const { token } = await admin.must<{ token: string }>('POST', '/authentication/sign-in', { email, password });
  const client = admin.withToken(token);
  return { email, password, client, projectId: await client.createProject(projectName) };
}

/** Makes a user who has this role in the project of the person, and no other project. */
export async function newMember({ client, projectId }: Person, role: string): Promise<Person> {
  const email = `${randomUUID()}@millrace.test`;
  const { token } = await client.must<{ token: string }>('POST', '/user-invitations', { email, projectId, role });
  const newcomer = { email, password, firstName: 'Ada', lastName: 'Lovelace', invitationToken: token };
  const anyone = client.withToken(null);
  const signedUp = await anyone.must<{ token: string }>('POST', '/authentication/sign-up', newcomer);
  return { email, password, client: client.withToken(signedUp.token), projectId };
}

/** Fills the sign-in page in and sends it. */
export async function enter(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the address as somebody who has to sign in first, and does so. */
export async function signInTo(page: Page, address: string, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.goto(address);
  await enter(page, person);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}
