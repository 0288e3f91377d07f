import { branch, codeStep, fallback, pieceStep, router, webhookTrigger } from '@millrace/domain/testing';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { openStep, panelIn, saved, stepOf, write } from './testing/step-panel';

/** A piece with every kind of input. None of the built-in ones has all of them, so the page is told of this one. */
const ALL_KINDS = {
  name: 'all_kinds',
  displayName: 'All kinds',
  description: 'Has inputs of every kind.',
  version: '0.1.0',
  auth: null,
  triggers: {},
  actions: {
    fill_in: {
      displayName: 'Fill in',
      description: 'Takes everything.',
      requiresAuth: false,
      props: {
        text: { kind: 'text', displayName: 'Some text', required: true },
        secret: { kind: 'text', displayName: 'Some secret', required: false, isSecret: true },
        number: { kind: 'number', displayName: 'Some number', required: false, defaultValue: 5 },
        checkbox: { kind: 'checkbox', displayName: 'Some check', required: false },
        dropdown: {
          kind: 'dropdown',
          displayName: 'Some choice',
          required: false,
          options: [
            { label: '<b>One</b>', value: 1 },
            { label: 'Two', value: { two: 2 } },
          ],
        },
        several: {
          kind: 'multi_select',
          displayName: 'Some choices',
          required: false,
          options: [
            { label: 'Red', value: 'red' },
            { label: 'Blue', value: 'blue' },
          ],
        },
        date: { kind: 'date', displayName: 'Some moment', required: false },
        json: { kind: 'json', displayName: 'Some JSON', required: false },
        object: { kind: 'object', displayName: 'Some object', required: false },
        array: { kind: 'array', displayName: 'Some list', required: false },
        file: { kind: 'file', displayName: 'Some file', required: false },
      },
    },
  },
};

describe('the form of a step', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  const flowOf = async (...steps: Parameters<typeof webhookTrigger>[0] & object): Promise<string> => {
    const { client, projectId } = person;
    const { id } = await client.createFlow(projectId, 'Order intake');
    const request = { displayName: 'Order intake', schemaVersion: '20', notes: [], trigger: webhookTrigger(steps) };
    await client.must('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
    return id;
  };
  const piece = (pieceName: string, actionName: string, input: Record<string, unknown> = {}) => {
    const step = pieceStep('send', input);
    return { ...step, settings: { ...step.settings, pieceName, pieceVersion: '0.1.0', actionName } };
  };
  const inputOf = async (flowId: string) => (await stepOf(person, flowId, 'send')).settings['input'];
  const field = (page: Page, name: string): Locator => panelIn(page).getByRole('textbox', { name, exact: true });
  const openAllKinds = async (page: Page, input: Record<string, unknown> = {}) => {
    const flowId = await flowOf(piece('all_kinds', 'fill_in', input));
    await page.route(/\/api\/v1\/pieces\?/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: unknown[] };
      await route.fulfill({ response, json: { ...body, data: [...body.data, ALL_KINDS] } });
    });
    await openStep(page, person, flowId, 'send');
    await field(page, 'Some text *').waitFor();
    return flowId;
  };

  it('has a field for each kind of input', async () => {
    const { page } = await visit({ timezoneId: 'Europe/Berlin' });
    const flowId = await openAllKinds(page);
    const panel = panelIn(page);

    await write(field(page, 'Some text *'), 'Hello {{ trigger.body }}');
    await panel.getByLabel('Some secret', { exact: true }).fill('s3cret');
    await field(page, 'Some number').fill('1.5');
    await panel.getByRole('checkbox', { name: 'Some check' }).check();
    await panel.getByRole('combobox', { name: 'Some choice' }).selectOption('Two');
    await panel.getByRole('checkbox', { name: 'Blue' }).check();
    await panel.getByLabel('Some moment', { exact: true }).fill('2026-07-01T12:00:00');
    await write(field(page, 'Some JSON'), '{"a": [1, null]}');
    await panel.getByRole('button', { name: 'Add to Some object' }).click();
    await field(page, 'Some object, name 1').fill('__proto__');
    await write(field(page, 'Some object, value 1'), '[1, 2]');
    await panel.getByRole('button', { name: 'Add to Some list' }).click();
    await write(field(page, 'Some list, item 1'), '{{ trigger.body.first }}');
    await write(field(page, 'Some file'), 'https://files.test/a');
    await saved(page);

    expect(JSON.stringify(await inputOf(flowId))).toBe(
      JSON.stringify({
        text: 'Hello {{ trigger.body }}',
        secret: 's3cret',
        number: 1.5,
        checkbox: true,
        dropdown: { two: 2 },
        several: ['blue'],
        date: '2026-07-01T10:00:00.000Z',
        json: { a: [1, null] },
        object: { toBeProto: [1, 2] },
        array: ['{{ trigger.body.first }}'],
        file: 'https://files.test/a',
      }).replace('toBeProto', '__proto__'),
    );
  });

  it.each(['Some number', 'Some check', 'Some choice', 'Some choices', 'Some moment', 'Some object', 'Some list'])(
    'lets an expression take the place of %s, and a value again',
    async (label) => {
      const { page } = await visit();
      const flowId = await openAllKinds(page, { text: 'x' });
      const panel = panelIn(page);

      await panel.getByRole('button', { name: `Use an expression for ${label}`, exact: true }).click();
      await write(field(page, label), '{{ trigger.body.it }}');
      await saved(page);
      expect(Object.values((await inputOf(flowId)) as object)).toContain('{{ trigger.body.it }}');

      await panel.getByRole('button', { name: `Choose a value for ${label}`, exact: true }).click();
      await saved(page);
      expect(await inputOf(flowId)).toEqual({ text: 'x' });
    },
  );

  it.each(['light', 'dark'] as const)('is accessible with every kind of input in a %s system', async (colorScheme) => {
    const { page } = await visit({ colorScheme });
    await openAllKinds(page, {
      text: '<img src=x onerror=alert(1)>',
      number: 9007199254740993n.toString(),
      dropdown: 'none of them',
      several: ['red', '<b>gone</b>'],
      date: 'soon',
      json: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as unknown,
      object: { '<b>': 'a\u202eb' },
      array: ['x'.repeat(10_000)],
    });
    await panelIn(page).getByText('<img src=x onerror=alert(1)>').waitFor();
    await panelIn(page).getByRole('checkbox', { name: '<b>gone</b>' }).waitFor();
    expect(await field(page, 'Some number').inputValue()).toBe('9007199254740993');

    await expectAccessible(page);
    await takePicture(page, `piece-form-${colorScheme}`);
  });

  it('asks the piece again for the inputs that depend on another one', async () => {
    const flowId = await flowOf(piece('http', 'send_request', { url: 'https://shop.test', method: 'GET' }));
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'send');

    await panel.getByRole('combobox', { name: 'Authentication' }).selectOption('bearer');
    await panel.getByLabel('Token *', { exact: true }).fill('t0ken');
    await panel.getByRole('combobox', { name: 'Authentication' }).selectOption('basic');
    await field(page, 'User name *').waitFor();
    await saved(page);

    expect(await inputOf(flowId)).toMatchObject({ authType: 'basic', authFields: { token: 't0ken' } });
  });

  it('makes a new connection beside the choice of one', async () => {
    const flowId = await flowOf(piece('smtp', 'send_email'));
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'send');
    await panel.getByRole('button', { name: 'New connection' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Mail');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const value = { username: 'ada', password: 'x' };
    await person.client.must('POST', '/connections', {
      projectId: person.projectId,
      externalId: 'shop-mail',
      displayName: 'Shop mail',
      type: 'BASIC_AUTH',
      value,
    });
    await page.reload();

    await panel.getByRole('combobox', { name: 'Connection' }).selectOption('Shop mail');
    await saved(page);

    expect(await inputOf(flowId)).toMatchObject({ auth: "{{ connections['shop-mail'] }}" });
  });

  it('has the conditions of branches', async () => {
    const flowId = await flowOf(router('send', [branch('Large', [], []), fallback([])]));
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'send');

    await panel.getByRole('button', { name: 'Add alternative' }).click();
    await write(field(page, 'First value'), '{{ trigger.body.total }}');
    await panel.getByRole('combobox', { name: 'Comparison' }).selectOption('is greater than');
    await write(field(page, 'Second value'), '500');
    await panel.getByRole('button', { name: 'Add alternative' }).click();
    const other = panel.getByRole('group', { name: 'Or when' });
    await other.getByRole('combobox', { name: 'Comparison' }).selectOption('contains the text');
    await other.getByRole('checkbox', { name: 'Upper and lower case differ' }).check();
    await saved(page);
    await expectAccessible(page);

    const { settings } = await stepOf(person, flowId, 'send');
    expect((settings['branches'] as unknown[])[0]).toMatchObject({
      conditions: [
        [{ firstValue: '{{ trigger.body.total }}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: '500' }],
        [{ firstValue: '', operator: 'TEXT_CONTAINS', secondValue: '', caseSensitive: true }],
      ],
    });
  });

  it('says what happens when the step fails', async () => {
    const flowId = await flowOf(codeStep('send'));
    const { page } = await visit();
    const panel = await openStep(page, person, flowId, 'send');

    await panel.getByRole('tab', { name: 'Error handling' }).click();
    await panel.getByRole('checkbox', { name: 'Try again when it fails' }).check();
    await saved(page);
    await expectAccessible(page);

    const { settings } = await stepOf(person, flowId, 'send');
    expect(settings['errorHandlingOptions']).toEqual({ retryOnFailure: { value: true } });
  });
});
