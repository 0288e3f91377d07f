import { serviceUnderTest } from '@millrace/e2e-support';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { expectNoSidewaysScrolling } from './testing/layout';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';

const ADD_UP = 'export const code = async ({ prices }) => prices.reduce((sum, price) => sum + price, 0);';
const ADD_UP_WITH_TAX = ADD_UP.replace('reduce', 'map((price) => price * 1.2).reduce');

/** A page by the name of its pictures, its address, and what it shows when it is ready. */
interface Screen {
  name: string;
  address: () => string;
  isReady: (page: Page) => Promise<void>;
}

/** Pages that one person looks at, one after the other. */
interface Group {
  name: string;
  person: () => Pick<Person, 'email' | 'password'>;
  screens: Screen[];
}

const PHONE = { width: 390, height: 844 };

const row = (page: Page, name: RegExp) => page.getByRole('row', { name }).first().waitFor();
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();

describe('every page', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;
  let runId: string;
  let goodRunId: string;
  let connectionId: string;
  let destinationId: string;
  const { adminEmail, adminPassword } = serviceUnderTest();

  const work: Screen[] = [
    { name: 'flows', address: () => '/flows', isReady: (page) => row(page, /^Order intake.*Enabled/) },
    { name: 'runs', address: () => '/runs', isReady: (page) => row(page, /Failed/) },
    {
      name: 'run',
      address: () => `/runs/${runId}`,
      isReady: (page) => page.getByRole('tab', { name: 'Timeline' }).waitFor(),
    },
    {
      name: 'compare',
      address: () => `/runs/${goodRunId}/compare/${runId}`,
      isReady: (page) => page.getByRole('region', { name: 'Input of the run' }).waitFor(),
    },
    {
      name: 'editor',
      address: () => `/flows/${flowId}`,
      isReady: (page) => page.getByRole('tree', { name: 'Outline' }).waitFor(),
    },
    {
      name: 'versions',
      address: () => `/flows/${flowId}/versions`,
      isReady: (page) => page.getByRole('region', { name: 'Changed' }).waitFor(),
    },
    { name: 'failures', address: () => '/failures', isReady: (page) => heading(page, /Failures/) },
    { name: 'approvals', address: () => '/approvals', isReady: (page) => heading(page, /Approvals/) },
  ];
  const things: Screen[] = [
    { name: 'connections', address: () => '/connections', isReady: (page) => row(page, /^Warehouse/) },
    {
      name: 'connection',
      address: () => `/connections/${connectionId}`,
      isReady: (page) => page.getByRole('link', { name: 'Tells the warehouse' }).waitFor(),
    },
    { name: 'templates', address: () => '/templates', isReady: (page) => row(page, /^Order intake/) },
    { name: 'pieces', address: () => '/pieces', isReady: (page) => row(page, /^Webhook/) },
    { name: 'piece', address: () => '/pieces/http', isReady: (page) => heading(page, /^HTTP$/) },
    { name: 'not-found', address: () => '/nowhere', isReady: (page) => heading(page, /Not found/) },
  ];
  const settings: Screen[] = [
    { name: 'project', address: () => '/settings/project', isReady: (page) => heading(page, /Project/) },
    { name: 'members', address: () => '/settings/members', isReady: (page) => row(page, /^guest@/) },
    { name: 'api-keys', address: () => '/settings/api-keys', isReady: (page) => row(page, /^CI/) },
    {
      name: 'event-destinations',
      address: () => '/settings/event-destinations',
      isReady: (page) => row(page, /^https/),
    },
    {
      name: 'event-destination',
      address: () => `/settings/event-destinations/${destinationId}`,
      isReady: (page) => row(page, /flow\.created/),
    },
    { name: 'store', address: () => '/settings/store', isReady: (page) => row(page, /^last_order/) },
    { name: 'audit', address: () => '/settings/audit', isReady: (page) => row(page, /Flow published/) },
  ];
  const installation: Screen[] = [
    { name: 'queues', address: () => '/queues', isReady: (page) => page.getByText('No job has failed.').waitFor() },
    { name: 'installation', address: () => '/settings/installation', isReady: (page) => row(page, /Online/) },
  ];
  const groups: Group[] = [
    { name: 'work', person: () => person, screens: work },
    { name: 'things', person: () => person, screens: things },
    { name: 'settings', person: () => person, screens: settings },
    { name: 'installation', person: () => ({ email: adminEmail, password: adminPassword }), screens: installation },
  ];

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
    const { client, projectId } = person;
    const addUp = codeStep('add_up', { prices: '{{trigger.body.prices}}' }, ADD_UP, { displayName: 'Add up' });
    ({ id: flowId } = await client.publishFlow(projectId, 'Order intake', webhookTrigger([addUp])));
    const withTax = codeStep('add_up', addUp.settings.input, ADD_UP_WITH_TAX, { displayName: 'Add up' });
    await client.importFlow(flowId, 'Order intake', webhookTrigger([withTax]));
    await client.publishFlow(projectId, 'Nightly report', webhookTrigger());
    await client.createFlow(projectId, 'Refunds');
    const good = await client.sendWebhook(flowId, { customer: 'Ada', prices: [40, 2] });
    const bad = await client.sendWebhook(flowId, { customer: 'Bob', prices: 'none' });
    ({ id: goodRunId } = await client.endedRun(good.body.id));
    ({ id: runId } = await client.endedRun(bad.body.id));
    await makeThings(person, flowId);
  });

  /** What a project has besides flows and runs. */
  async function makeThings({ client, projectId }: Person, of: string): Promise<void> {
    const make = (path: string, body: object) => client.must<{ id: string }>('POST', path, { projectId, ...body });
    await make('/templates', { flowId: of, description: 'Adds up the prices of an order.' });
    const value = { secret_text: 'the-secret-of-the-warehouse' };
    const warehouse = { externalId: 'warehouse', displayName: 'Warehouse', type: 'SECRET_TEXT', value };
    ({ id: connectionId } = await make('/connections', warehouse));
    await make('/api-keys', { displayName: 'CI', role: 'OPERATOR' });
    await make('/user-invitations', { email: 'guest@millrace.test', role: 'VIEWER' });
    await make('/store-entries', { scope: 'PROJECT', key: 'last_order', value: { order: 1042 } });
    const destination = { url: 'https://events.millrace.test/in', events: ['flow.created', 'flow_run.failed'] };
    ({ id: destinationId } = await make('/event-destinations', destination));
    const { id } = await client.createFlow(projectId, 'Tells the warehouse');
    const tell = codeStep('tell', { key: "{{connections['warehouse']}}" });
    await client.importFlow(id, 'Tells the warehouse', webhookTrigger([tell]));
  }

  async function look(page: Page, { name, address, isReady }: Screen, theme: string): Promise<void> {
    await page.goto(address());
    await isReady(page);
    await expectAccessible(page);
    await takePicture(page, `${name}-${theme}`);
  }

  async function lookOnPhone(page: Page, { name }: Screen): Promise<void> {
    const size = page.viewportSize();
    await page.setViewportSize(PHONE);
    await expectNoSidewaysScrolling(page);
    await takePicture(page, `${name}-phone`);
    if (size) await page.setViewportSize(size);
  }

  it.each(['light', 'dark'] as const)('is accessible in a %s system: sign-in', async (colorScheme) => {
    const { page } = await visit({ colorScheme });
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, `sign-in-${colorScheme}`);
  });

  it.each(groups)('is accessible in a light system, and fits a phone: $name', async (group) => {
    const { page } = await visit({ colorScheme: 'light' });
    await signInTo(page, '/pieces', group.person());
    for (const screen of group.screens) {
      await look(page, screen, 'light');
      await lookOnPhone(page, screen);
    }
  });

  it.each(groups)('is accessible in a dark system: $name', async (group) => {
    const { page } = await visit({ colorScheme: 'dark' });
    await signInTo(page, '/pieces', group.person());
    for (const screen of group.screens) await look(page, screen, 'dark');
  });
});
