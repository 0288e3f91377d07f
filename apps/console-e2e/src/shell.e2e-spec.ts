import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { expectNoSidewaysScrolling } from './testing/layout';
import { newPerson, signInTo, type Person } from './testing/people';

const GROUND = 'getComputedStyle(document.documentElement).backgroundColor';
const [WHITE, BLACK] = ['rgb(255, 255, 255)', 'rgb(20, 23, 28)'];

describe('what is around every page', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Orders');
    await person.client.createFlow(person.projectId, 'Order intake');
  });

  const openTheme = async (page: Page) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Theme' }).click();
    return page.getByRole('dialog', { name: 'Theme' });
  };

  it('lets the keyboard skip it', async () => {
    const { page } = await visit();
    await signInTo(page, '/flows?name=order', person);
    await page.reload();
    await page.getByRole('table', { name: 'Flows' }).waitFor();

    await page.keyboard.press('Tab');
    await focused(page.getByRole('link', { name: 'Skip to content' })).waitFor();
    await page.keyboard.press('Enter');

    await focused(page.getByRole('main')).waitFor();
  });

  it('marks the page that is open', async () => {
    const { page } = await visit();
    await signInTo(page, '/', person);
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    const main = page.getByRole('navigation', { name: 'Main' });
    expect(await main.getByRole('link', { name: 'Flows' }).getAttribute('aria-current')).toBe('page');
  });

  it('switches between projects, and remembers the last one', async () => {
    const two = await newPerson('First project');
    const second = await two.client.createProject('Second project');
    await two.client.createFlow(two.projectId, 'In the first');
    await two.client.createFlow(second, 'In the second');
    const { page } = await visit();
    await signInTo(page, `/flows?projectId=${two.projectId}`, two);
    await page.getByRole('row', { name: /In the first/ }).waitFor();

    const switcher = page.getByRole('combobox', { name: 'Project' });
    await switcher.selectOption('Second project');
    await page.getByRole('row', { name: /In the second/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('projectId')).toBe(second);

    await page.goto('/flows');
    await page.getByRole('row', { name: /In the second/ }).waitFor();
    await page.goto(`/flows?projectId=${two.projectId}`);
    await page.getByRole('row', { name: /In the first/ }).waitFor();
  });

  it('has the theme of the system, until another is chosen for this browser', async () => {
    const { page } = await visit({ colorScheme: 'light' });
    await signInTo(page, '/flows', person);
    expect(await page.evaluate(GROUND)).toBe(WHITE);

    const dialog = await openTheme(page);
    const themes = dialog.getByRole('radiogroup', { name: 'Theme' });
    expect(await themes.getByRole('radio', { name: 'As the system' }).isChecked()).toBe(true);
    await themes.getByRole('radio', { name: 'Dark' }).check();
    expect(await page.evaluate(GROUND)).toBe(BLACK);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.reload();
    await page.getByRole('table', { name: 'Flows' }).waitFor();
    expect(await page.evaluate(GROUND)).toBe(BLACK);
    expect(await (await openTheme(page)).getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  });

  it('gives the focus back to the menu after a dialog was closed', async () => {
    const { page } = await visit();
    await signInTo(page, '/flows', person);
    const account = page.getByRole('button', { name: 'Account' });

    await account.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Theme' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Theme' }).waitFor({ state: 'hidden' });

    await focused(account).waitFor();
  });

  it('has its icons alone when that is chosen, also after a reload, and every page by its name', async () => {
    const { page } = await visit();
    await signInTo(page, '/runs', person);
    const main = page.getByRole('navigation', { name: 'Main' });
    const width = page.getByRole('button', { name: 'Wide navigation', expanded: true });

    await width.press('Enter');
    await page.getByRole('button', { name: 'Wide navigation', expanded: false }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Wide navigation', expanded: false }).waitFor();
    expect((await main.boundingBox())?.width).toBeLessThan(64);
    await expectAccessible(page);

    await page.getByRole('combobox', { name: 'Project' }).focus();
    await main.getByRole('link', { name: 'Flows' }).press('Enter');
    await page.getByRole('row', { name: /Order intake/ }).waitFor();
    await page.getByRole('button', { name: 'Wide navigation' }).click();
    await width.waitFor();
  });

  it('says that there is nothing at an address, and leads on', async () => {
    const { page } = await visit();
    await signInTo(page, '/nowhere/at/all', person);
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
    expect(await page.title()).toBe('Not found · Millrace');
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Go to your flows' }).click();
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'is accessible when the system is %s, with a menu and a dialog open',
    async (colorScheme) => {
      const { page } = await visit({ colorScheme });
      await signInTo(page, '/flows', person);
      await page.getByRole('row', { name: /Order intake/ }).waitFor();
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await expectAccessible(page);

      await page.getByRole('menuitem', { name: 'Theme' }).click();
      await page.getByRole('dialog', { name: 'Theme' }).waitFor();
      await expectAccessible(page);
    },
  );

  it.each([1440, 1024, 390, 320])('needs no scrolling sideways when the window is %i pixels wide', async (width) => {
    const { page } = await visit({ viewport: { width, height: 800 } });
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectNoSidewaysScrolling(page);

    await signInTo(page, '/flows', person);
    await page.getByRole('row', { name: /Order intake/ }).waitFor();
    await expectNoSidewaysScrolling(page);

    await (await openTheme(page)).waitFor();
    await expectNoSidewaysScrolling(page);
  });

  it('shows on a phone which page is open, although not all pages are in view', async () => {
    const { page } = await visit({ viewport: { width: 320, height: 800 } });
    await signInTo(page, '/settings/members', person);

    for (const [row, open] of [
      ['Main', 'Settings'],
      ['Settings', 'Members'],
    ] as const) {
      const link = page.getByRole('navigation', { name: row }).getByRole('link', { name: open, exact: true });
      await expectInView(link);
    }
  });
});

/** The whole width of the element is in the window. */
async function expectInView(element: Locator): Promise<void> {
  await element.waitFor();
  const { x, width } = (await element.boundingBox()) ?? { x: NaN, width: NaN };
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(element.page().viewportSize()?.width ?? 0);
}

const focused = (element: Locator): Locator => element.and(element.page().locator(':focus'));
