import { webhookTrigger } from '@millrace/domain/testing';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

describe('the palette', () => {
  const visit = visits();
  let person: Person;
  let runId: string;

  beforeAll(async () => {
    person = await newPerson('Palette');
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', webhookTrigger());
    ({ id: runId } = (await person.client.sendWebhook(id, {})).body);
    await person.client.endedRun(runId);
  });

  it.each([
    ['a page', 'conn', 'Connections', () => /\/connections\?/],
    ['a flow by a part of its name', 'intake', 'Order intake', () => /\/flows\/[0-9a-f-]+$/],
    ['a run by its id', '', 'The run', () => new RegExp(`/runs/${runId}$`)],
  ])('goes to %s', async (_, typed, option, address) => {
    const { page } = await visit();
    await signInTo(page, '/runs', person);
    await page.keyboard.press('Control+K');
    const dialog = page.getByRole('dialog', { name: 'Go to' });
    await dialog.getByRole('combobox').fill(typed || runId);
    await dialog.getByRole('option', { name: option }).waitFor();
    await expectAccessible(page);

    await page.keyboard.press('Enter');
    await page.waitForURL(address());
    await dialog.waitFor({ state: 'detached' });
  });
});
