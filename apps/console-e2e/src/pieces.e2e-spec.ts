import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';
import { expectNoSidewaysScrolling } from './testing/layout';
import { takePicture } from './testing/pictures';

const NAME = `@console/piece-echo-${Date.now()}`;
const SOURCE = `
const actions = { echo: { name: 'echo', displayName: 'Echo', description: '', requireAuth: false, props: {},
  run: async () => null } };
exports.echo = {
  metadata: () => ({ displayName: 'Echo chamber', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

describe('the catalogue of pieces', () => {
  const visit = visits();

  it('is searched by what pieces can do, and says what each takes', async () => {
    const { page } = await visit();
    await signInTo(page, '/pieces', await newPerson());
    await page.getByRole('row', { name: /^Webhook/ }).waitFor();

    await page.getByRole('searchbox', { name: 'Search pieces' }).fill('send email');
    await page.getByRole('row', { name: /^Webhook/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'SMTP' }).click();

    await page
      .getByRole('table', { name: 'Inputs of Mail server' })
      .getByRole('row', { name: /^Password .* secret/ })
      .waitFor();
    await page
      .getByRole('table', { name: 'Inputs of Send Email' })
      .getByRole('row', { name: /^Subject .* yes/ })
      .waitFor();
    expect(await page.title()).toBe('SMTP · Millrace');
  });

  it('says that a piece is not there', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/pieces/);
    await signInTo(page, '/pieces/none-like-it', await newPerson());
    await page.getByText('There is no such piece').waitFor();
  });

  it('has the packages of the catalogue, which only administrators install', async () => {
    const { page } = await visit();
    await signInTo(page, '/pieces', await newPerson());
    const catalogue = page.getByRole('table', { name: 'Catalogue' });
    await catalogue.getByRole('row').nth(1).waitFor();

    await page.getByRole('searchbox', { name: 'Search pieces' }).fill('baserow create row');
    await catalogue.getByRole('row', { name: /^Baserow/ }).waitFor();
    expect(await catalogue.getByRole('row').count()).toBe(2); // with the heads
    expect(await page.getByRole('button', { name: /^(Install|Remove)/ }).count()).toBe(0);
  });

  it('lets an administrator remove a package that no published flow uses, and says why another one stays', async () => {
    const { baseUrl, adminApiKey, adminEmail, adminPassword } = serviceUnderTest();
    const admin = new ServiceClient(baseUrl, adminApiKey);
    await installPackage(admin, NAME, SOURCE);
    const projectId = await admin.createProject('Echo');
    const step = pieceStep('echo');
    const settings = { ...step.settings, pieceName: NAME, pieceVersion: '1.0.0', actionName: 'echo', input: {} };
    const { id } = await admin.publishFlow(projectId, 'Echo', webhookTrigger([{ ...step, settings }]));
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/api\/v1\/pieces/, 409);
    await signInTo(page, '/pieces', { email: adminEmail, password: adminPassword });
    await page.getByRole('searchbox', { name: 'Search pieces' }).fill('echo chamber');
    await page
      .getByRole('row', { name: /^Echo chamber/ })
      .getByText(NAME)
      .waitFor();
    await page.getByRole('button', { name: 'Remove Echo chamber' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Echo chamber 1.0.0' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('alert').getByText('1 published flow names').waitFor();
    await expectAccessible(page);

    await admin.must('DELETE', `/flows/${id}`);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No piece matches.').first().waitFor();
  });

  it.each(['light', 'dark'] as const)('is read in the %s theme, wide and narrow', async (colorScheme) => {
    const { page } = await visit({ colorScheme });
    await signInTo(page, '/pieces', await newPerson());
    await page.getByRole('table', { name: 'Catalogue' }).getByRole('row').nth(1).waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectNoSidewaysScrolling(page);
      await takePicture(page, `pieces-${colorScheme}-${width}`);
    }
  });
});
