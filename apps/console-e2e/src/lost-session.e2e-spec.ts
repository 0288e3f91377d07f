import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { serviceUnderTest } from '@millrace/e2e-support';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newMember, newPerson, signInTo, type Person } from './testing/people';

const API = /\/api\/v1\//;
const SECRET = 'zq-typed-secret-81';

interface Form {
  address: (flowId: string) => string;
  opener: string;
  fill: (dialog: Locator) => Promise<unknown>;
  /** What sends the form. */
  verb: string;
  /** Resolves when what was typed has reached the service. */
  arrived: (page: Page) => Promise<unknown>;
}

const inProject = (path: string) => () => path;
const field = (dialog: Locator, name: string) => dialog.getByRole('textbox', { name, exact: true });

const FORMS: Record<string, Form> = {
  'a new flow': {
    address: inProject('/flows'),
    opener: 'New flow',
    fill: (dialog) => field(dialog, 'Name of the flow').fill('Refunds'),
    verb: 'Create flow',
    arrived: (page) => page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor(),
  },
  'a connection with its secret': {
    address: inProject('/connections'),
    opener: 'New connection',
    fill: async (dialog) => {
      await field(dialog, 'Name').fill('Warehouse');
      await dialog.getByLabel('Secret', { exact: true }).fill(SECRET);
    },
    verb: 'Connect',
    arrived: (page) => page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor(),
  },
  'an invitation': {
    address: inProject('/settings/members'),
    opener: 'Invite',
    fill: (dialog) => field(dialog, 'E-mail').fill('alan@millrace.test'),
    verb: 'Invite',
    arrived: (page) => page.getByRole('dialog', { name: 'The link for alan@millrace.test' }).waitFor(),
  },
  'an API key': {
    address: inProject('/settings/api-keys'),
    opener: 'New API key',
    fill: (dialog) => field(dialog, 'Name').fill('Nightly export'),
    verb: 'Create key',
    arrived: (page) => page.getByText('it is shown this once').waitFor(),
  },
  'a note of what is published': {
    address: (flowId) => `/flows/${flowId}`,
    opener: 'Publish',
    fill: (dialog) => dialog.getByRole('textbox').fill('Adds the tax'),
    verb: 'Publish',
    arrived: (page) => page.getByRole('dialog', { name: 'Published' }).waitFor(),
  },
};

describe('a session that ends while a dialog is open', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
    const { id } = await person.client.createFlow(person.projectId, 'Order intake');
    await person.client.importFlow(id, 'Order intake', webhookTrigger([codeStep('sum', {})]));
    flowId = id;
  });

  const signInAgain = (page: Page): Locator => page.getByRole('dialog', { name: 'Sign in again' });
  const enterAgain = async (page: Page, { email, password }: Person): Promise<void> => {
    await field(signInAgain(page), 'E-mail').fill(email);
    await signInAgain(page).getByLabel('Password').fill(password);
    await signInAgain(page).getByRole('button', { name: 'Sign in' }).click();
  };

  /** Fills the dialog in, ends the session as a sign-out elsewhere does, and sends the form. */
  const loseSession = async ({ address, opener, fill, verb }: Form): Promise<Page> => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(API);
    const tokens = new Set<string | undefined>();
    page.on('request', (request) => tokens.add(request.headers()['authorization']));
    await signInTo(page, address(flowId), person);
    await page.getByRole('button', { name: opener, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await fill(dialog);
    const send = dialog.getByRole('button', { name: verb, exact: true });
    await send.click({ trial: true });
    await endSession(page, new Set(tokens));
    await send.click();
    await signInAgain(page).waitFor();
    return page;
  };

  it.each(Object.entries(FORMS))('keeps %s, and sends it after the sign-in', async (_, form) => {
    const page = await loseSession(form);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await signInAgain(page).waitFor();

    expect(await storageOf(page)).not.toContain(SECRET);
    await enterAgain(page, person);

    await signInAgain(page).waitFor({ state: 'detached' });
    await form.arrived(page);
  });

  it('shows nothing of the page until somebody has signed in, and nothing of it to somebody else', async () => {
    const other = await newMember(person, 'EDITOR');
    const page = await loseSession(FORMS['a connection with its secret'] as Form);
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(new URL(request.url()).pathname));
    expect(await isCovered(page)).toBe(true);

    await enterAgain(page, other);

    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.content()).not.toContain(SECRET);
    expect(posts).toEqual(['/api/v1/authentication/sign-in']);
  });

  it('goes on when the person has signed in in another tab', async () => {
    const page = await loseSession(FORMS['an API key'] as Form);
    const other = await page.context().newPage();
    await signInTo(other, '/flows', person);

    await page.bringToFront();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

    await signInAgain(page).waitFor({ state: 'detached' });
  });
});

async function endSession(page: Page, tokens: ReadonlySet<string | undefined>): Promise<void> {
  const headers = { origin: serviceUnderTest().baseUrl };
  await page.request.post('/api/v1/authentication/sign-out', { data: {}, headers });
  const expired = { status: 401, json: { code: 'INVALID_BEARER_TOKEN', params: { message: 'It has expired.' } } };
  await page.route(API, (route) => {
    const token = route.request().headers()['authorization'];
    return token !== undefined && tokens.has(token) ? route.fulfill(expired) : route.continue();
  });
}

const storageOf = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');

/** Whether what stands at the corners and in the middle of the window belongs to no page. */
const isCovered = (page: Page): Promise<boolean> =>
  page.evaluate(`[[5, 5], [1400, 5], [5, 890], [1400, 890], [720, 450]].every(
    ([x, y]) => !document.elementFromPoint(x, y).closest('#root'))`);
