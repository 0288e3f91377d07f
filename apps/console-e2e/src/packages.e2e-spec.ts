import { webhookTrigger } from '@millrace/domain/testing';
import { registryHas, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { panelIn, saved, stepOf, write } from './testing/step-panel';

const BASEROW = '@activepieces/piece-baserow';
/** How long an installation may take on a busy machine whose registry is slow. */
const INSTALLATION_MS = 120_000;

/** Left out where the registry has no such package. */
const whereItIs = registryHas(BASEROW, '0.10.0') ? describe : describe.skip;

whereItIs('a published package', () => {
  const visit = visits();
  const { baseUrl, adminApiKey } = serviceUnderTest();
  const admin = new ServiceClient(baseUrl, adminApiKey);
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Packages');
  });

  it('is chosen in the palette, installed while the step is saved, and asks for its inputs', async () => {
    await admin.request('DELETE', `/pieces/${encodeURIComponent(BASEROW)}`);
    const { id } = await person.client.createFlow(person.projectId, 'Tables');
    await person.client.importFlow(id, 'Tables', webhookTrigger());
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('button', { name: 'Add step', exact: true }).click();
    await write(page.getByRole('dialog').getByRole('combobox'), 'baserow create row');
    await page.getByRole('option', { name: /^Create Row Baserow/, selected: true }).waitFor();

    await page.keyboard.press('Enter');
    await panelIn(page).getByText(`Installing ${BASEROW}`).waitFor();
    await takePicture(page, 'package-installing');
    await panelIn(page).getByText('Creates a new row in a table.').waitFor({ timeout: INSTALLATION_MS });
    await panelIn(page).getByRole('combobox', { name: 'Connection' }).waitFor();
    await saved(page);
    await takePicture(page, 'package-form');

    const { settings } = await stepOf(person, id, 'step_1');
    expect(settings).toMatchObject({ pieceName: BASEROW, pieceVersion: '0.10.0', actionName: 'baserow_create_row' });
  });
});
