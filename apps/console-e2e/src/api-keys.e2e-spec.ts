import { serviceUnderTest } from '@millrace/e2e-support';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

describe('API keys', () => {
  const service = serviceUnderTest();
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Keys');
  });

  it('are shown once and kept nowhere, work with their role, and are refused when they are revoked', async () => {
    const { page } = await visit();
    await signInTo(page, `/settings/api-keys?projectId=${person.projectId}`, person);
    const answerTo = async (key: string) => {
      const address = `${service.baseUrl}/api/v1/flows?projectId=${person.projectId}`;
      return (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).status;
    };

    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('<b>CI</b>');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByText(/^sk-/).innerText();
    expect(await answerTo(key)).toBe(200);

    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /^<b>CI<\/b> Operator …/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain('sk-');

    await page.getByRole('button', { name: 'Revoke <b>CI</b>' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('There is no key of this project yet.').waitFor();
    expect(await answerTo(key)).toBe(401);
  });
});
