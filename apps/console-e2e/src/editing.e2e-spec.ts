import { codeStep, fallback, branch, loop, router, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const condition = [[{ firstValue: '{{ trigger.body.total }}', operator: 'EXISTS' }]];

/** A flow of a code step, a router with two branches and a loop. */
const aTrigger = () =>
  webhookTrigger([
    codeStep('sum', { lines: '{{ trigger.body.lines }}' }, undefined, { displayName: 'Add up' }),
    router('size', [branch('Large', condition, [codeStep('ask', { total: '{{ sum.total }}' })]), fallback()]),
    loop('each', '{{ trigger.body.lines }}', [codeStep('tell', { line: '{{ each.item }}' })]),
  ]);

interface StoredStep {
  name: string;
  displayName: string;
  skip?: boolean;
  settings: Record<string, unknown>;
  nextAction?: StoredStep;
  firstLoopAction?: StoredStep;
  children?: (StoredStep | null)[];
}

/** The steps in the order of writing: `each[tell]`. */
const outlineOf = (step: StoredStep | null | undefined): string => {
  if (!step) return '';
  const bodies = [...(step.firstLoopAction ? [step.firstLoopAction] : []), ...(step.children ?? [])];
  const inside = step.children || step.firstLoopAction ? `[${bodies.map(outlineOf).join('|')}]` : '';
  return [`${step.name}${inside}`, outlineOf(step.nextAction)].filter(Boolean).join(' ');
};

describe('the steps of a flow', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  const open = async (displayName = 'Order intake') => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, displayName);
    await client.importFlow(id, displayName, aTrigger());
    const { page, context } = await visit();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInTo(page, `/flows/${id}`, person);
    const row = (name: string | RegExp) => page.getByRole('treeitem', { name }).first();
    await row('Add up').waitFor();
    return { page, id, row, steps: () => storedSteps(id) };
  };
  const stored = async (id: string) => {
    const { version } = await person.client.must<{ version: { trigger: StoredStep } }>('GET', `/flows/${id}`);
    return version.trigger;
  };
  const storedSteps = async (id: string) => outlineOf(await stored(id));
  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

  it('are opened one after the other by keys, each with the focus in its own first field', async () => {
    const { page, row } = await open();
    const settings = page.getByRole('complementary', { name: 'Step settings' });
    const nameOf = (value: string) =>
      settings.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(`:focus[value="${value}"]`));

    for (const name of ['Add up', 'tell', 'ask']) {
      await row(name).focus();
      await page.keyboard.press('Enter');
      await nameOf(name).waitFor();
    }
  });

  it('are duplicated, skipped, moved and deleted by keys, from the outline and the canvas', async () => {
    const { page, row, id, steps } = await open();

    await row('Add up').focus();
    await page.keyboard.press('Control+D');
    await row('Add up Copy').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('Alt+ArrowDown');
    await saved(page);
    expect(await steps()).toBe('trigger sum size[ask|] sum_copy each[tell]');

    await page.getByRole('region', { name: 'Canvas' }).getByRole('button', { name: /^size/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: /^ask/, pressed: false }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Delete');
    await row('size').waitFor({ state: 'detached' });
    await saved(page);

    expect(await steps()).toBe('trigger sum sum_copy each[tell]');
    expect((await stored(id)).nextAction?.nextAction?.skip).toBe(true);
    await page
      .getByRole('button', { name: /^Add up Copy/ })
      .and(page.locator(':focus'))
      .waitFor();
  });

  it('are cut, copied and pasted as JSON, several at once, also into another flow', async () => {
    const first = await open();
    const { page, row, steps } = first;

    await row('Add up').focus();
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Control+C');
    await page.keyboard.press('Control+V');
    await saved(page);
    expect(await steps()).toBe('trigger sum size[ask|] each[tell] sum_copy size_copy[ask_copy|] each_copy[tell_copy]');
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(outlineOf(JSON.parse(text) as StoredStep)).toBe('sum size[ask|] each[tell]');

    await row('each').focus();
    await page.keyboard.press('Control+X');
    await row('Otherwise').focus();
    await page.keyboard.press('Control+V');
    await saved(page);
    expect(await steps()).toContain('size[ask|each[tell]]');

    const other = await open('Refunds');
    await other.row('Add up').focus();
    await other.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await other.page.keyboard.press('Control+V');
    await saved(other.page);
    expect(await other.steps()).toBe(
      'trigger sum sum_copy size_copy[ask_copy|] each_copy[tell_copy] size[ask|] each[tell]',
    );
    const pasted = (await stored(other.id)).nextAction?.nextAction?.nextAction?.children?.[0];
    expect(pasted?.settings['input']).toEqual({ total: '{{ sum_copy.total }}' });
  });

  it('say what is wrong with a text that has no steps', async () => {
    const { page, row, steps } = await open();
    await row('Add up').focus();
    await page.evaluate("navigator.clipboard.writeText('Dear Ada,')");

    await page.keyboard.press('Control+V');

    await page.getByRole('status').getByText('Nothing was pasted: the text is not JSON.').waitFor();
    expect(await steps()).toBe('trigger sum size[ask|] each[tell]');
  });

  it('have a menu, by the right button and by Shift-F10', async () => {
    const { page, row, steps } = await open();
    const menu = page.getByRole('menu', { name: 'What can be done' });

    await row('Add up').focus();
    await page.keyboard.press('Shift+F10');
    await expectAccessible(page);
    await menu.getByRole('menuitem', { name: 'Duplicate' }).press('Enter');
    await saved(page);
    await page.getByRole('button', { name: /^size/ }).click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Move up' }).click();
    await saved(page);
    expect(await steps()).toBe('trigger sum size[ask|] sum_copy each[tell]');

    await row('Large').focus();
    await page.keyboard.press('Shift+F10');
    await menu.getByRole('menuitem', { name: 'Delete branch' }).click();
    await row('Large').waitFor({ state: 'detached' });
    await saved(page);
    expect(await steps()).toBe('trigger sum size[] sum_copy each[tell]');
  });

  it('are renamed, and expressions that use them follow', async () => {
    const { page, row, id } = await open();

    await row('Add up').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename the step' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Totals');
    await dialog.getByRole('textbox', { name: 'Name in expressions' }).fill('ask');
    await dialog.getByRole('alert').getByText('Another step has this name.').waitFor();
    await dialog.getByRole('textbox', { name: 'Name in expressions' }).fill('totals');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await row('Totals').waitFor();
    await saved(page);

    const { nextAction: totals } = await stored(id);
    expect([totals?.name, totals?.displayName]).toEqual(['totals', 'Totals']);
    expect(totals?.nextAction?.children?.[0]?.settings['input']).toEqual({ total: '{{ totals.total }}' });
    await page.keyboard.press('Control+Z');
    await row('Add up').waitFor();
    await saved(page);
    expect((await stored(id)).nextAction?.nextAction?.children?.[0]?.settings['input']).toEqual({
      total: '{{ sum.total }}',
    });
  });

  it('are dragged onto a line', async () => {
    const { page, row, steps } = await open();
    const middleOf = async (name: string | RegExp) => {
      const { x, y, width, height } = (await page.getByRole('button', { name }).boundingBox()) ?? fail();
      return [x + width / 2, y + height / 2] as const;
    };

    await page.mouse.move(...(await middleOf(/^Add up/)));
    await page.mouse.down();
    await page.mouse.move(...(await middleOf('Add step in Otherwise')), { steps: 8 });
    await page.mouse.up();
    await saved(page);
    expect(await steps()).toBe('trigger size[ask|sum] each[tell]');

    await page.mouse.move(...(await middleOf(/^ask/)));
    await page.mouse.down();
    await page.mouse.move(...(await middleOf('Add step after Add up')), { steps: 8 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await row('ask').waitFor();
    expect(await steps()).toBe('trigger size[ask|sum] each[tell]');
  });

  it('hide what is inside, and show it when it is gone to', async () => {
    const { page, row } = await open();
    await row('size').focus();

    await page.keyboard.press('c');
    await page.getByRole('button', { name: /^size.*1 step inside/ }).waitFor();
    await row('ask').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show what is inside size' }).click();
    await row('ask').waitFor();
    await page.getByRole('button', { name: 'Hide what is inside Large' }).click();
    await page.getByRole('button', { name: /^ask/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^size/ }).focus();
    await page.keyboard.press('ArrowRight');

    await page.getByRole('button', { name: /^ask/ }).and(page.locator(':focus')).waitFor();
  });

  it('have notes beside them, which are written, coloured, moved and deleted', async () => {
    const { page, id, row } = await open();
    const notes = async () =>
      (await person.client.must<{ version: { notes: Record<string, unknown>[] } }>('GET', `/flows/${id}`)).version
        .notes;
    await row('Add up').focus();

    await page.keyboard.press('n');
    const text = page.getByRole('textbox', { name: 'Note' });
    await text.and(page.locator(':focus')).waitFor();
    await page.keyboard.insertText('Ask the warehouse first');
    const menu = page.getByRole('button', { name: 'What can be done with the note' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Blue' }).click();
    await expectAccessible(page);
    await saved(page);
    const [note] = await notes();
    expect(note).toMatchObject({ content: 'Ask the warehouse first', color: 'blue' });

    await menu.click();
    await page.getByRole('menuitem', { name: 'Move right' }).click();
    await saved(page);
    const { x, y } = note?.['position'] as { x: number; y: number };
    expect((await notes())[0]).toMatchObject({ position: { x: x + 60, y } });
    await page.getByRole('button', { name: 'Ask the warehouse first' }).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete note' }).click();
    await saved(page);
    expect(await notes()).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await saved(page);
    expect(await notes()).toMatchObject([{ content: 'Ask the warehouse first', color: 'blue' }]);
  });

  it('are shown by keys as large as a person wants, and all keys are listed', async () => {
    const { page, row } = await open();
    const zoom = (text: string) => page.getByRole('region', { name: 'Canvas' }).getByText(text, { exact: true });
    await row('Add up').focus();

    await page.keyboard.press('+');
    await zoom('120 %').waitFor();
    await page.keyboard.press('0');
    await zoom('100 %').waitFor();
    await page.keyboard.press('1');
    await zoom('100 %').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mini-map' }).click();
    await page.keyboard.press('?');

    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('delete, with what is inside').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

const fail = (): never => {
  throw new Error('It is not shown.');
};
