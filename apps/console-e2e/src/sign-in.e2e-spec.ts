import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { enter, newPerson, signInTo, type Person } from './testing/people';

const SIGN_IN = /\/api\/v1\/authentication\/sign-in$/;

describe('the sign-in page', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson();
  });

  it('leads to the page that was asked for, with its filters', async () => {
    const { page } = await visit();
    await page.goto('/flows?name=order');
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    expect(await page.title()).toBe('Sign in · Millrace');

    await enter(page, person);

    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    expect(pathOf(page.url())).toBe('/flows?name=order');
    expect(await page.title()).toBe('Flows · Millrace');
  });

  it('says that the password is wrong, and takes the right one then', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(SIGN_IN);
    await page.goto('/sign-in');

    await enter(page, { ...person, password: 'wrong horse battery' });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/password/i);
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(person.email);
    await expectAccessible(page);

    await enter(page, person);
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  });

  it('keeps the session over a reload, and no token where a script could read it later', async () => {
    const { page, context } = await visit();
    await signInTo(page, '/flows', person);

    await page.reload();
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();

    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(JSON.parse(kept as string)).toEqual([{ 'millrace.hasSession': 'yes' }, {}, '']);
    expect(await context.cookies()).toMatchObject([
      { httpOnly: true, sameSite: 'Strict', path: '/api/v1/authentication' },
    ]);
  });

  it('is shown again after the sign-out, also after a reload', async () => {
    const { page, context } = await visit();
    await signInTo(page, '/flows', person);

    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);

    await page.goto('/flows');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it.each(['https://elsewhere.test/flows', '//elsewhere.test', '/\\elsewhere.test', 'javascript:alert(1)'])(
    'does not follow the way to %s',
    async (next) => {
      const { page } = await visit();
      await page.goto(`/sign-in?${new URLSearchParams({ next }).toString()}`);
      await enter(page, person);
      await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
      expect(pathOf(page.url())).toBe('/flows');
    },
  );

  it('can be gone through by keyboard alone', async () => {
    const { page } = await visit();
    await page.goto('/flows');
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();

    await page.keyboard.type(person.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  });

  it.each(['light', 'dark'] as const)('is accessible when the system is %s', async (colorScheme) => {
    const { page } = await visit({ colorScheme });
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    await expectAccessible(page);
  });
});

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
