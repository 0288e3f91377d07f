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

const row = (page: Page, name: RegExp) => page.getByRole('row', { name }).first().waitFor();
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();

describe('every page', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;
  let runId: string;
  let goodRunId: string;

  const screens: Screen[] = [
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
    { name: 'api-keys', address: () => '/settings/api-keys', isReady: (page) => heading(page, /API keys/) },
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
  });

  describe.each(['light', 'dark'] as const)('in a %s system', (colorScheme) => {
    it('is accessible: sign-in', async () => {
      const { page } = await visit({ colorScheme });
      await page.goto('/sign-in');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await expectAccessible(page);
      await takePicture(page, `sign-in-${colorScheme}`);
    });

    it.each(screens)('is accessible: $name', async ({ name, address, isReady }) => {
      const { page } = await visit({ colorScheme });
      await signInTo(page, address(), person);
      await isReady(page);
      await expectAccessible(page);
      await takePicture(page, `${name}-${colorScheme}`);
    });
  });

  it.each(screens)('fits a phone: $name', async ({ name, address, isReady }) => {
    const { page } = await visit({ viewport: { width: 390, height: 844 } });
    await signInTo(page, address(), person);
    await isReady(page);
    await expectNoSidewaysScrolling(page);
    await takePicture(page, `${name}-phone`);
  });
});
