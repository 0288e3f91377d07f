import type { Page, Route } from 'playwright-core';
import { visits } from './testing/browser';
import { enter, newPerson, signInTo, type Person } from './testing/people';

const API = /\/api\/v1\//;
const FLOWS = /\/api\/v1\/flows\?/;

describe('when the service fails, the console', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson();
    await person.client.createFlow(person.projectId, 'Order intake');
    await person.client.createFlow(person.projectId, 'Refunds');
  });

  const row = (page: Page, name: RegExp) => page.getByRole('table', { name: 'Flows' }).getByRole('row', { name });
  const openFlows = async (page: Page, fault: (route: Route) => unknown) => {
    await page.route(FLOWS, fault);
    await signInTo(page, '/flows', person);
  };

  it('says why, and by which id the log names the request, and tries again when asked', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOWS);
    const body = { code: 'INTERNAL_ERROR', params: { message: 'The database is being moved.' } };
    await openFlows(page, (route) => route.fulfill({ status: 500, json: body, headers: { 'x-request-id': 'req-42' } }));

    const alert = page.getByRole('alert');
    await alert.getByText('The database is being moved.').waitFor();
    await alert.getByText('req-42').waitFor();
    await page.unroute(FLOWS);
    await alert.getByRole('button', { name: 'Try again' }).click();

    await row(page, /Order intake/).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  it('goes on by itself when the service is there again', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOWS);
    await openFlows(page, (route) => route.abort('connectionrefused'));

    await page.getByRole('alert').getByText('Millrace does not answer').waitFor();
    await page.unroute(FLOWS);

    await row(page, /Order intake/).waitFor();
  });

  it('shows the status of an answer that something in between has given', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOWS);
    await openFlows(page, (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<html><h1>Bad gateway</h1></html>' }),
    );
    await page.getByRole('alert').getByText('The service answered 502').waitFor();
  });

  it('says that it waits for an answer', async () => {
    const { page } = await visit();
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    await openFlows(page, async (route) => {
      await late;
      await route.continue();
    });

    await page.getByRole('status').getByText('Loading…').waitFor();
    answer();

    await row(page, /Order intake/).waitFor();
  });

  it('leads back to the same address after a session that ended in the middle', async () => {
    const { page, context, complaints } = await visit();
    complaints.expectFailuresOf(API);
    await signInTo(page, '/flows', person);
    await row(page, /Refunds/).waitFor();
    await context.clearCookies();
    await page.route(FLOWS, (route) =>
      route.fulfill({ status: 401, json: { code: 'INVALID_BEARER_TOKEN', params: {} } }),
    );

    await page.getByRole('searchbox', { name: 'Search flows' }).fill('order');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.unroute(FLOWS);
    await enter(page, person);

    await row(page, /Refunds/).waitFor({ state: 'detached' });
    await row(page, /Order intake/).waitFor();
    expect(new URL(page.url()).search).toBe('?name=order');
  });

  it('renews an access token that has expired, and nobody notices', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(FLOWS);
    await page.route(
      FLOWS,
      (route) => route.fulfill({ status: 401, json: { code: 'INVALID_BEARER_TOKEN', params: {} } }),
      {
        times: 1,
      },
    );
    await signInTo(page, '/flows', person);
    await row(page, /Order intake/).waitFor();
  });

  it('starts as soon as the service answers', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(API);
    await signInTo(page, '/flows', person);
    await page.route(API, (route) => route.abort('connectionrefused'));

    await page.reload();
    await page.getByRole('alert').getByText('Millrace does not answer').waitFor();
    await page.unroute(API);

    await row(page, /Order intake/).waitFor();
  });

  it('keeps what was typed to sign in', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(API);
    await page.goto('/sign-in');
    await page.route(API, (route) => route.abort('connectionrefused'));

    await enter(page, person);
    await page.getByRole('alert').getByText('Millrace does not answer').waitFor();
    await page.unroute(API);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await row(page, /Order intake/).waitFor();
  });
});
