import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const SECRET = 'a-secret-of-the-shop-4711';
const FAILS = `export const code = async ({ token }) => {
  console.log('with', token);
  throw new Error('refused ' + token);
};`;

/** A page, what it asks for first, and what it shows then. */
interface Screen {
  address: string;
  asks: RegExp;
  shown: (page: Page) => Locator;
}

describe('pages of runs, flows and failures', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;
  let runId: string;
  let otherRunId: string;
  let screens: Screen[];

  beforeAll(async () => {
    person = await newPerson('Orders');
    const { client, projectId } = person;
    const connection = { projectId, displayName: 'Shop', externalId: 'shop', type: 'SECRET_TEXT' };
    await client.must('POST', '/connections', { ...connection, value: { secret_text: SECRET } });
    const fails = codeStep('fails', { token: "{{connections['shop']}}" }, FAILS, { displayName: 'Ask the shop' });
    ({ id: flowId } = await client.publishFlow(projectId, 'Order intake', webhookTrigger([fails])));
    runId = await ended();
    otherRunId = await ended();
    screens = [
      { address: '/flows', asks: /\/flows\?/, shown: (page) => page.getByRole('row', { name: /^Order intake/ }) },
      { address: '/runs', asks: /\/flow-runs\?/, shown: (page) => page.getByRole('row', { name: /^Failed/ }).first() },
      {
        address: `/runs/${runId}`,
        asks: /\/flow-runs\/[^/?]+(\?|$)/,
        shown: (page) => page.getByText('Step “Ask the shop” failed'),
      },
      {
        address: `/runs/${runId}/compare/${otherRunId}`,
        asks: /\/diff\//,
        shown: (page) => page.getByRole('region', { name: 'Right' }),
      },
      {
        address: `/flows/${flowId}/versions`,
        asks: /\/versions\?/,
        shown: (page) => page.getByRole('row', { name: /Published/ }),
      },
      { address: '/failures', asks: /\/failures\?/, shown: (page) => page.getByRole('article').first() },
    ];
  });

  const ended = async () => (await person.client.endedRun((await person.client.sendWebhook(flowId, {})).body.id)).id;
  /** Opens all screens in tabs of one window. What each asks for first is answered by the fault. */
  const openAll = async (context: BrowserContext, fault: (route: Route) => unknown) =>
    Promise.all(
      screens.map(async ({ address, asks, shown }) => {
        const page = await context.newPage();
        await page.route(asks, fault);
        await page.goto(address);
        return { page, shown: shown(page), mend: () => page.unroute(asks) };
      }),
    );

  it('say why the service does not answer, and go on by themselves when it does', async () => {
    const { page, context, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\//);
    await signInTo(page, '/flows', person);
    const body = { statusCode: 503, code: 'SERVICE_UNAVAILABLE', params: { message: 'The database is being moved.' } };

    const tabs = await openAll(context, (route) => route.fulfill({ status: 503, json: body }));

    await Promise.all(
      tabs.map(async ({ page: tab, shown, mend }) => {
        await tab.getByRole('alert').getByText('The database is being moved.').first().waitFor();
        await mend();
        await shown.waitFor();
        await tab.getByRole('alert').waitFor({ state: 'detached' });
      }),
    );
  });

  it('say that they wait for an answer that is late', async () => {
    const { page, context } = await visit();
    await signInTo(page, '/flows', person);
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));

    const tabs = await openAll(context, (route) => late.then(() => route.continue()));
    await Promise.all(tabs.map(({ page: tab }) => tab.getByRole('status').getByText(/…$/).first().waitFor()));
    answer();

    await Promise.all(tabs.map(({ shown }) => shown.waitFor()));
  });

  it('lead back from what is not there, is half typed, or belongs to others', async () => {
    const stranger = await newPerson('Elsewhere');
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\//);
    await signInTo(page, '/flows', stranger);
    const addresses = [
      ...[`/flows/${flowId}`, `/flows/${flowId}/versions`, `/runs/${runId}`, `/runs/${runId}/compare/${otherRunId}`],
      ...[`/runs/${runId.slice(0, 9)}`, `/flows/${flowId.slice(0, 9)}`, '/flows/__proto__', '/no/such/page'],
    ];

    for (const address of addresses) {
      await page.goto(address);
      await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
      expect(await page.getByText('Order intake').count()).toBe(0);
      await page.getByRole('link', { name: 'Go to your flows' }).click();
      await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    }
  });

  it('say that a run is gone that was deleted while one looked at it', async () => {
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', {});
    const { id } = await person.client.publishFlow(person.projectId, 'Asks', webhookTrigger([ask]));
    const run = await person.client.pausedRun((await person.client.sendWebhook(id, {})).body.id);
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/flow-runs/);
    await signInTo(page, `/runs/${run.id}`, person);
    await page.getByRole('button', { name: 'Cancel run' }).waitFor();

    // A run is deleted by its retention alone.
    const gone = { statusCode: 404, code: 'ENTITY_NOT_FOUND', params: { message: 'There is no such run.' } };
    await page.route(/\/flow-runs\/[^/?]+(\?|$)/, (route) => route.fulfill({ status: 404, json: gone }));

    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  });

  it('never get what is secret', async () => {
    const { page } = await visit();
    const answers: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) answers.push(response.text().catch(() => ''));
    });
    await signInTo(page, `/runs/${runId}?step=fails&part=input`, person);
    await page.getByRole('complementary', { name: 'Step' }).getByText('**REDACTED**').waitFor();
    await page.goto(`/runs/${runId}?tab=logs`);
    await page.getByText('with **REDACTED**').waitFor();
    await page.goto(`/runs/${runId}/compare/${otherRunId}`);
    await page.getByRole('region', { name: 'Right' }).getByText('refused **REDACTED**').waitFor();
    await page.goto('/failures');
    await page.getByRole('article').first().getByText('refused **REDACTED**').waitFor();

    expect(answers.length).toBeGreaterThan(5);
    for (const answer of await Promise.all(answers)) expect(answer).not.toContain(SECRET);
    expect(await page.content()).not.toContain(SECRET);
  });
});
