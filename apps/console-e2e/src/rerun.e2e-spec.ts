import { builtInStep, codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const THROWS_AT_THREE = `export const code = async ({ item }) => {
  if (item === 3) throw new Error('three');
  return { item };
};`;

describe('a rerun', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Orders');
  });

  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Rerun' });
  const flowThat = (code: string) => {
    const tell = codeStep('tell', { item: '{{each.item}}' }, code, { displayName: 'Tell warehouse' });
    const each = loop('each', '{{trigger.body.items}}', [tell], { displayName: 'Each line' });
    const note = builtInStep('note', 'store', 'put', { key: 'seen', value: 'yes' }, { displayName: 'Note it' });
    return webhookTrigger([note, each]);
  };
  /** A run that fails in its third iteration. */
  const fail = async () => {
    const { id: flowId } = await person.client.publishFlow(person.projectId, 'Order intake', flowThat(THROWS_AT_THREE));
    const { body } = await person.client.sendWebhook(flowId, { items: [1, 2, 3] });
    return { flowId, runId: (await person.client.endedRun(body.id)).id };
  };
  /** The run whose page is shown, once it has ended. */
  const shownRun = async (page: Page, before: string) => {
    await page.waitForURL((url) => /\/runs\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(before));
    return person.client.endedRun(new URL(page.url()).pathname.split('/').pop() ?? '');
  };

  it('can be given another input, after its plan was shown', async () => {
    const { runId } = await fail();
    const { page } = await visit();
    await signInTo(page, `/runs/${runId}`, person);

    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await dialog(page).getByRole('status').getByText('1 step with an effect on the outside may run').waitFor();
    await dialog(page).getByText('Note it (had its effect before)').waitFor();
    await dialog(page).getByRole('checkbox', { name: 'Give the trigger another output' }).check();
    const input = dialog(page).getByRole('textbox', { name: 'Output of the trigger (JSON)' });
    const given = await input.inputValue();
    expect(JSON.parse(given)).toMatchObject({ body: { items: [1, 2, 3] } });
    await input.fill('{"body": ');
    await dialog(page).getByText('This is not JSON').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Rerun' }).isDisabled()).toBe(true);
    await input.fill(JSON.stringify({ body: { items: [1, 2] } }));
    await dialog(page).getByRole('button', { name: 'Rerun' }).click();

    const again = await shownRun(page, runId);
    expect(again).toMatchObject({ status: 'SUCCEEDED', retryOfRunId: runId });
  });

  it('begins at a step in an iteration, and reuses what was before', async () => {
    const { runId } = await fail();
    const { page } = await visit();
    await signInTo(page, `/runs/${runId}`, person);

    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await dialog(page).getByRole('combobox', { name: 'From step' }).selectOption({ label: 'Tell warehouse' });
    await dialog(page).getByRole('spinbutton', { name: 'Iteration of Each line (1 to 3)' }).fill('2');

    await dialog(page).getByText('No step with an effect on the outside runs again; 2 results are reused.').waitFor();
    await dialog(page).getByRole('button', { name: 'Rerun' }).click();
    expect(await shownRun(page, runId)).toMatchObject({ status: 'FAILED', retryOfRunId: runId });
  });

  it('can execute the latest version, also before it is published', async () => {
    const { flowId, runId } = await fail();
    await person.client.importFlow(flowId, 'Order intake', flowThat('export const code = async ({ item }) => item;'));
    const { page } = await visit();
    await signInTo(page, `/runs/${runId}`, person);

    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await dialog(page).getByRole('radio', { name: 'The latest version, also unpublished' }).check();
    await dialog(page).getByText('may run').waitFor();
    await dialog(page).getByRole('button', { name: 'Rerun' }).click();

    expect(await shownRun(page, runId)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
