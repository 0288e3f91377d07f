import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';

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
});
