import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { openStep, panelIn, saved, stepOf, write } from './testing/step-panel';
import { takeSuggestion } from './testing/suggestions';

const BODY = {
  customer: 'Ada',
  lines: [
    { article: 'lamp', price: 40 },
    { article: 'bulb', price: 2 },
  ],
  'odd key': 7,
  empty: null,
};

describe('expressions', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  /** A flow with a loop, and what its trigger gave in a test. */
  const flowWith = async (items: unknown, body: unknown = BODY): Promise<string> => {
    const { client, projectId } = person;
    const steps = [codeStep('first'), loop('each', items, [codeStep('inner', { price: '{{ each.item.price }}' })])];
    const { id } = await client.publishFlow(projectId, 'Order intake', webhookTrigger(steps));
    const request = { stepName: 'trigger', type: 'OUTPUT', payload: { body, method: 'POST' } };
    await client.must('POST', `/flows/${id}`, { type: 'SAVE_SAMPLE_DATA', request });
    return id;
  };
  const open = async (page: Page, flowId: string): Promise<Locator> => {
    const panel = await openStep(page, person, flowId, 'each');
    await itemsIn(page).waitFor();
    return panel;
  };
  const itemsIn = (page: Page) => panelIn(page).getByRole('textbox', { name: 'Items' });
  const dataIn = (page: Page) => panelIn(page).getByRole('tree', { name: 'Data' });
  const row = (page: Page, name: RegExp) => dataIn(page).getByRole('treeitem', { name });
  /** The trigger when its data are there. A click on it would put the whole trigger into the field before. */
  const triggerRow = (page: Page) => dataIn(page).getByRole('treeitem', { name: /^Catch Webhook/, expanded: false });
  const itemsOf = async (flowId: string) => (await stepOf(person, flowId, 'each')).settings['items'];

  it('say below the field what they give for the sample data, or why they give nothing', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    const panel = await open(page, flowId);
    const given = {
      '{{ trigger.body.lines }}': '= [{"article":"lamp","price":40},{"article":"bulb","price":2}]',
      '{{ trigger.body.lines[1].article }}': '= "bulb"',
      "{{ trigger.body['odd key'] }}": '= 7',
      'Hello {{ trigger.body.customer }}': '= "Hello Ada"',
      '{{ trigger.body.missing }}': '= nothing, which a run reads as an empty text',
      '{{ trigger.body.lines.map((line) => line.price) }}': '= [40,2]',
      '{{ trigger.body.lines.length + 40 }}': '= 42',
      '{{ trigger.body.customer.toUpperCase() }}!': '= "ADA!"',
      "{{ connections['mail'] }}": 'There is no connection "mail". (line 1, column 4)',
      'one\n{{ 1 + }}': 'Unexpected token. (line 2, column 7)',
      '{{ first.x }}': 'The step first has no sample data yet. (line 1, column 4)',
    };
    for (const [text, says] of Object.entries(given)) {
      await write(itemsIn(page), text);
      await panel.getByText(says, { exact: true }).waitFor();
    }
    await saved(page);
    expect(await itemsOf(flowId)).toBe('{{ first.x }}');
  });

  it('are evaluated in the sandbox of the service alone', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    const panel = await open(page, flowId);

    await write(
      itemsIn(page),
      '{{ (() => { globalThis.wasHere = true; return typeof window + typeof document; })() }}',
    );

    await panel.getByText('= "undefinedundefined"', { exact: true }).waitFor();
    expect(await page.evaluate('typeof globalThis.wasHere')).toBe('undefined');
  });

  it('take a value of an earlier step where the caret is, by click', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    const panel = await open(page, flowId);
    await write(itemsIn(page), 'before after');
    for (let left = 0; left < 'after'.length; left++) await itemsIn(page).press('ArrowLeft');

    await triggerRow(page).click();
    await row(page, /^body/).locator('[data-sign]').click();
    await row(page, /^odd key 7 number/).click();

    await panel.getByText('= "before 7after"', { exact: true }).waitFor();
    await page.locator(':focus').and(itemsIn(page)).waitFor();
    await saved(page);
    expect(await itemsOf(flowId)).toBe('before {{ trigger.body["odd key"] }}after');
  });

  it('take a value with the keyboard alone', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    await open(page, flowId);
    await write(itemsIn(page), ' ');
    await itemsIn(page).press('Control+A');

    await triggerRow(page).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown'])
      await page.keyboard.press(key);
    await page
      .locator(':focus')
      .and(row(page, /^lines/))
      .waitFor();
    await page.keyboard.press('Enter');

    await page.locator(':focus').and(itemsIn(page)).waitFor();
    await saved(page);
    expect(await itemsOf(flowId)).toBe('{{ trigger.body.lines }}');
  });

  it('take a value that is dragged into the field', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    await open(page, flowId);
    await triggerRow(page).click();

    await row(page, /^body/).dragTo(itemsIn(page));

    await itemsIn(page).filter({ hasText: 'body' }).waitFor(); // the browser tells of a drop after the mouse
    await saved(page);
    expect(await itemsOf(flowId)).toContain('{{ trigger.body }}');
  });

  it('find values by name, text and number', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    await open(page, flowId);

    await panelIn(page).getByRole('searchbox', { name: 'Search data' }).fill('lamp');
    await row(page, /^trigger\.body\.lines\[0\]\.article "lamp" text/).waitFor();
    await panelIn(page).getByRole('searchbox', { name: 'Search data' }).fill('no such value');

    await panelIn(page).getByText('Nothing contains this text.').waitFor();
  });

  it('say that a field must be chosen first', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    const panel = await open(page, flowId);
    await triggerRow(page).click();
    await row(page, /^method/).click();
    await panel.getByText('Put the caret into a field first.').waitFor();
  });

  it('are completed while one types them', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    await open(page, flowId);
    const suggestions = page.getByRole('listbox');

    await itemsIn(page).press('Control+A');
    await page.keyboard.type('{{');
    await suggestions.getByRole('option', { name: /^trigger/ }).waitFor();
    await page.keyboard.type('trigger.body.li');
    await takeSuggestion(page, /^lines/);
    await saved(page);

    expect(await itemsOf(flowId)).toBe('{{ trigger.body.lines }}');
  });

  it('are put into JSON as JSON', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'first');
    await panel.getByRole('button', { name: 'Edit Input as JSON' }).click();
    const input = panel.getByRole('textbox', { name: 'Input' });
    await write(input, '{"a": ""}');
    await input.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');

    await triggerRow(page).click();
    await row(page, /^body/).locator('[data-sign]').click();
    await row(page, /^odd key/).click();
    await saved(page);

    const { settings } = await stepOf(person, flowId, 'first');
    expect(settings['input']).toEqual({ a: '{{ trigger.body["odd key"] }}' });
  });

  it('show any value as text', async () => {
    const hostile: unknown = JSON.parse(
      JSON.stringify({
        markup: '<img src=x onerror=alert(1)>',
        '<b>name</b>': 1,
        long: 'x'.repeat(100_000),
        direction: 'abc\u202edef\u2066',
        nul: 'a\u0000b',
        half: '\ud800',
        number: 2 ** 53,
        proto: 1,
      }).replace('"proto"', '"__proto__"'),
    );
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as unknown;
    const flowId = await flowWith([], { hostile, deep });
    const { page } = await visit();
    const panel = await open(page, flowId);
    await write(itemsIn(page), ' ');

    await triggerRow(page).click();
    await row(page, /^body/).locator('[data-sign]').click();
    await row(page, /^hostile/)
      .locator('[data-sign]')
      .click();
    await row(page, /^markup "<img src=x onerror=alert\(1\)>" text/).waitFor();
    await row(page, /^<b>name<\/b> 1 number/).waitFor();
    await row(page, /^number 9007199254740992 number/).waitFor();
    await row(page, /^__proto__ 1 number/).waitFor();
    await row(page, /^long "x+/).waitFor();
    await row(page, /^nul "a\ufffdb" text/).waitFor();
    await itemsIn(page).press('Control+A');
    await row(page, /^__proto__/).click();
    await panel.getByText('= 1', { exact: true }).waitFor();
    await itemsIn(page).press('Control+A');
    await row(page, /^<b>name/).click();
    await panel.getByText('= 1', { exact: true }).waitFor();
    await itemsIn(page).press('Control+A');
    await row(page, /^long/).click();
    await panel.getByText(/^= "x+…?"?…?$/).waitFor();
    await row(page, /^deep/).locator('[data-sign]').click();
    await saved(page);
    expect(await itemsOf(flowId)).toBe('{{ trigger.body.hostile.long }}');
  });

  it('take 100,000 characters and give them back', async () => {
    const flowId = await flowWith([]);
    const { page } = await visit();
    await open(page, flowId);
    const text = `${'x'.repeat(99_980)} {{ trigger.body }}`;

    await write(itemsIn(page), text);
    await saved(page);

    expect(await itemsOf(flowId)).toBe(text);
  });

  it.each(['light', 'dark'] as const)('are accessible in a %s system', async (colorScheme) => {
    const flowId = await flowWith('{{ trigger.body.lines }}');
    const { page } = await visit({ colorScheme });
    const panel = await open(page, flowId);
    await triggerRow(page).click();
    await row(page, /^body/).locator('[data-sign]').click();
    await row(page, /^lines/)
      .locator('[data-sign]')
      .click();
    await panel.getByText(/^= \[/).waitFor();
    await itemsIn(page).press('Control+End');

    await expectAccessible(page);
    await takePicture(page, `expressions-${colorScheme}`);
  });
});
