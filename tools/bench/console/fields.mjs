// The fields of a large flow: how soon what is typed is seen.
import { costOf, keyToScreen } from './browser.mjs';
import { makeFlow } from './large-flow.mjs';

/** @typedef {import('playwright-core').Page} Page */

const STEPS = 500;
const EVERY_MS = 60;
const PLAIN = 'As a person types, neither slowly nor in a hurry';
const EXPRESSION = '{{ trigger.body.lines.length }} lines of a customer';
const CODE = 'const more = lines.filter(({ price }) => price > 100);';

const settings = (/** @type {Page} */ page) => page.getByRole('complementary', { name: 'Step settings' });
/** The first field whose name begins so. */
const fieldOf = (/** @type {RegExp} */ name) => (/** @type {Page} */ page) =>
  settings(page).getByRole('textbox', { name }).first();
/** Opens a field by a key, with the focus on a step of the canvas. */
const byKey = (key, fieldIn) => async (/** @type {Page} */ page) => {
  await page.getByRole('button', { name: /^Step 1\b/ }).focus();
  await page.keyboard.press(key);
  return fieldIn(page);
};

/** Fields of each kind: which step is open (large-flow.mjs says what it is), where the field is, and what is typed. */
const FIELDS = [
  { name: 'the name of a step', step: 'step_3', field: fieldOf(/^Name/), text: PLAIN },
  { name: 'code', step: 'step_1', field: fieldOf(/^Code/), text: CODE },
  { name: 'a property of a piece', step: 'step_2', field: fieldOf(/^URL/), text: EXPRESSION },
  { name: 'a condition of a router', step: 'step_4', field: fieldOf(/^First value/), text: EXPRESSION },
  { name: 'the items of a loop', step: 'step_13', field: fieldOf(/^Items/), text: EXPRESSION },
  {
    name: 'the search for a step',
    field: byKey('a', (page) => page.getByRole('dialog').getByRole('combobox')),
    text: PLAIN,
  },
  { name: 'a note', field: byKey('n', (page) => page.getByRole('textbox', { name: 'Note' })), text: PLAIN },
];

/** @type {import('./bench-console.mjs').Part} */
export async function measureFields(bench) {
  const id = await makeFlow(STEPS, bench);
  const page = await bench.browser.visit();
  const figures = [];
  for (const { name, step, field, text } of FIELDS) {
    await page.goto(`/flows/${id}${step ? `?step=${step}` : ''}`);
    await page.getByRole('treeitem', { name: /^Catch webhook/ }).waitFor();
    await (await field(page)).click();
    let value = 0;
    const { cpuMs } = await costOf(bench.browser, async () => {
      value = await keyToScreen(page, { text, everyMs: EVERY_MS });
    });
    figures.push({ what: `${STEPS} steps: key to screen in ${name}, p95`, unit: 'ms', value, atMost: 50 });
    figures.push({ what: '– CPU of the page for a key', unit: 'ms', value: cpuMs / text.length });
    await page.keyboard.press('Escape'); // closes the search, behind which nothing else can be found
    await page.getByRole('status').getByText('Saving…').waitFor({ state: 'detached' });
  }
  await page.context().close();
  await bench.call('DELETE', `/flows/${id}`);
  return figures;
}
