import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

describe('a menu', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Menus');
    await person.client.createFlow(person.projectId, 'Order intake');
  });

  const open = async (height = 700) => {
    const { page } = await visit({ viewport: { width: 1024, height } });
    await signInTo(page, '/flows', person);
    return { page, opener: page.getByRole('button', { name: 'Actions of Order intake' }) };
  };
  const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

  it('is gone along by arrows, Home, End and letters, and left by Escape', async () => {
    const { page, opener } = await open();
    await opener.press('ArrowDown');
    await focused(item(page, 'Publish and enable')).waitFor();
    await expectAccessible(page);

    await page.keyboard.press('ArrowUp');
    await focused(item(page, 'Delete…')).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await focused(item(page, 'Move…')).waitFor();
    await page.keyboard.press('e');
    await focused(item(page, 'Export')).waitFor();
    expect(await opener.getAttribute('aria-expanded')).toBe('true');

    await page.keyboard.press('Escape');
    await focused(opener).waitFor();
    expect(await page.getByRole('menu').count()).toBe(0);
    await opener.press('ArrowUp');
    await focused(item(page, 'Delete…')).waitFor();
  });

  it('does what is chosen by a key or a press, and gives the focus back', async () => {
    const { page, opener } = await open();
    await opener.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await focused(opener).waitFor();

    await opener.click();
    await item(page, 'Versions').click();
    await page.getByRole('heading', { name: /Versions/ }).waitFor();
  });

  it('stays within a low window', async () => {
    const { page, opener } = await open(320);
    await opener.click();
    const { y = -1, height = 999 } = (await page.getByRole('menu').boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(320);
  });

  it('follows its opener, and closes when that leaves the window', async () => {
    const { page, opener } = await open();
    await opener.click();
    const menu = page.getByRole('menu');
    const place = async () => (await menu.boundingBox())?.y ?? -1;
    const before = await place();
    await moveDown(opener, 40);
    await page.locator('body').dispatchEvent('scroll');
    while ((await place()) < before + 10); // each look takes a turn of the browser
    expect(await focused(item(page, 'Publish and enable')).count()).toBe(1);

    await moveDown(opener, 2000);
    await menu.waitFor({ state: 'detached' });
    await focused(opener).waitFor();
  });

  it('closes when its opener or something else is pressed', async () => {
    const { page, opener } = await open();
    await opener.click();
    await page.getByRole('menu').waitFor();
    await opener.click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await opener.click();
    await page.getByRole('heading', { name: 'Flows', level: 1 }).click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });
});

const moveDown = (element: Locator, by: number) =>
  element.evaluate((shown: { style: { marginTop: string } }, px) => (shown.style.marginTop = `${px}px`), by);

const focused = (element: Locator): Locator => element.and(element.page().locator(':focus'));
