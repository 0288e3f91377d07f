import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { patience } from '@millrace/e2e-support';

/** Few, because each is saved before the next; the unit test of undo makes 200. MILLRACE_UNDO_EDITS=200 does here too. */
const EDITS = Number(process.env['MILLRACE_UNDO_EDITS'] ?? 40);
const SEED = 7;
/** On a busy machine. A quiet one takes half a minute. */
const PATIENCE_MS = 900_000 * patience;

/** A flow of 60 steps: ten times a code step, a router with two steps, and a loop with one. */
const aTrigger = () =>
  webhookTrigger(
    Array.from({ length: 10 }, (_, index) => index * 6).flatMap((at) => [
      codeStep(`step_${at + 1}`, { lines: '{{ trigger.body.lines }}' }),
      router(`step_${at + 2}`, [
        branch('Large', [], [codeStep(`step_${at + 3}`, { of: `{{ step_${at + 1}.sum }}` })]),
        fallback([codeStep(`step_${at + 4}`)]),
      ]),
      loop(`step_${at + 5}`, '{{ trigger.body.lines }}', [codeStep(`step_${at + 6}`)]),
    ]),
  );

/** A whole number from 0 to `sides - 1`. The same seed gives the same numbers (a linear congruence). */
function diceOf(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Gives a row of the outline the focus, but not the trigger's. By locators, it would take a second of each ten. */
const FOCUS_ROW = `((share) => {
  const rows = document.querySelectorAll('[role="treeitem"]');
  rows[1 + Math.floor(share * (rows.length - 1))].focus();
})`;

describe('the history of a flow', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  /** What the service has of the flow, as text, without the ids and times that it makes itself. */
  const storedText = async (id: string): Promise<string> => {
    const { version } = await person.client.must<{
      version: { displayName: string; trigger: unknown; notes: Record<string, unknown>[] };
    }>('GET', `/flows/${id}`);
    const { displayName, trigger, notes } = version;
    const remarks = notes.map(({ ownerId: _owner, createdAt: _created, updatedAt: _updated, ...note }) => note);
    return JSON.stringify({ displayName, trigger, notes: remarks });
  };

  /** What a person may do next, with the row that has the focus, by keys alone. */
  const edits = (page: Page, dice: (sides: number) => number, focusAny: () => Promise<void>) => {
    const press = (key: string) => () => page.keyboard.press(key);
    return [
      press('s'),
      press('s'),
      press('Control+d'),
      press('Alt+ArrowUp'),
      press('Alt+ArrowDown'),
      press('Delete'),
      async () => {
        await page.keyboard.press(dice(2) === 0 ? 'Control+x' : 'Control+c');
        await focusAny();
        await page.keyboard.press('Control+v');
      },
      async () => {
        await page.keyboard.press('F2');
        await page.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Control+a');
        await page.keyboard.insertText(`Name ${dice(1_000)}`);
        await page.keyboard.press('Enter');
      },
      async () => {
        await page.keyboard.press('a');
        const palette = page.getByRole('dialog').getByRole('combobox');
        await palette.and(page.locator(':focus')).waitFor(); // it is loaded when it is first asked for
        await page.keyboard.insertText(['code', 'loop', 'router'][dice(3)] ?? '');
        await page.keyboard.press('Enter');
        await palette.waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
      },
      async () => {
        await page.keyboard.press('n');
        await page.getByRole('textbox', { name: 'Note' }).and(page.locator(':focus')).waitFor();
        await page.keyboard.insertText(`Remark ${dice(1_000)}`);
      },
    ];
  };

  it(
    `is undone to the first byte and redone to the last, ${EDITS} edits, also over a reload`,
    async () => {
      const { client, projectId } = person;
      const { id } = await client.createFlow(projectId, 'Order intake');
      await client.importFlow(id, 'Order intake', aTrigger());
      const { page } = await visit();
      await signInTo(page, `/flows/${id}`, person);
      const rows = page.getByRole('treeitem');
      await rows.nth(60).waitFor();
      const first = await storedText(id);

      const dice = diceOf(SEED);
      const focusAny = () => page.evaluate<void>(`${FOCUS_ROW}(${dice(1_000) / 1_000})`);
      for (let made = 0; made < EDITS; made++) {
        await focusAny();
        const some = edits(page, dice, focusAny);
        await some[dice(some.length)]?.();
      }
      await saved(page);
      const last = await storedText(id);
      const repeat = async (button: 'Undo' | 'Redo', key: string) => {
        const isDone = () => page.getByRole('button', { name: button }).isDisabled();
        await rows.first().focus();
        for (let pressed = 0; pressed < EDITS / 2; pressed++) await page.keyboard.press(key);
        await saved(page);
        await page.reload();
        await rows.first().focus();
        while (!(await isDone())) for (let pressed = 0; pressed < 20; pressed++) await page.keyboard.press(key);
        await saved(page);
        return storedText(id);
      };
      const undone = await repeat('Undo', 'Control+z');
      const redone = await repeat('Redo', 'Control+Shift+z');

      expect([last === first, undone === first, redone === last]).toEqual([false, true, true]);
    },
    PATIENCE_MS,
  );

  it('begins anew when the flow was changed elsewhere, and says so', async () => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Order intake');
    await client.importFlow(id, 'Order intake', aTrigger());
    const { page } = await visit();
    await signInTo(page, `/flows/${id}`, person);
    await page.getByRole('treeitem').nth(1).focus();
    await page.keyboard.press('s');
    await saved(page);
    await client.must('POST', `/flows/${id}`, { type: 'CHANGE_NAME', request: { displayName: 'Refunds' } });

    await page.reload();

    await page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor();
    await page.getByRole('status').getByText('undo begins anew').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
  });
});
