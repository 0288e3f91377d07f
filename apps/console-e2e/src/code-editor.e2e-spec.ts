import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';
import { takeSuggestion } from './testing/suggestions';

interface Browser {
  getComputedStyle: (element: unknown) => { color: string };
}

interface Version {
  version: { trigger: { nextAction: { settings: { sourceCode: { code: string; packageJson: string } } } } };
}

describe('the editor of code', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Lamp shop');
  });

  const settingsIn = (page: Page) => page.getByRole('complementary', { name: 'Step settings' });
  const codeIn = (page: Page) => settingsIn(page).getByRole('textbox', { name: 'Code' });
  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const flowWith = async (code: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { client, projectId } = person;
    const { id } = await client.publishFlow(
      projectId,
      'Order intake',
      webhookTrigger([codeStep('add_up', input, code)]),
    );
    return id;
  };
  const open = async (page: Page, flowId: string): Promise<Locator> => {
    await signInTo(page, `/flows/${flowId}?step=add_up`, person);
    await codeIn(page).waitFor();
    return codeIn(page);
  };
  const sourceOf = async (flowId: string) => {
    const { version } = await person.client.must<Version>('GET', `/flows/${flowId}`);
    return version.trigger.nextAction.settings.sourceCode;
  };

  it('saves what is typed, and shows it with the colours of the language', async () => {
    const flowId = await flowWith('export const code = () => 1;\n');
    const { page } = await visit();
    const code = await open(page, flowId);

    await code.press('Control+End');
    await page.keyboard.type("// now 'more'");
    await saved(page);

    expect((await sourceOf(flowId)).code).toBe("export const code = () => 1;\n// now 'more'");
    const colourOf = (text: string) =>
      code
        .getByText(text, { exact: true })
        .evaluate((element) => (globalThis as unknown as Browser).getComputedStyle(element).color);
    expect(await colourOf('export')).not.toBe(await colourOf("// now 'more'"));
  });

  it.each([
    ['markup', '/* <img src=x onerror=alert(1)><script>alert(1)</script> */'],
    ['carriage returns and odd line ends', 'a\r\nb\rc\u2028d'],
    ['marks of direction', 'const a = "\u202e\u2066abc";'],
    ['a line of 100,000 characters', `/* ${'x'.repeat(100_000)} */`],
  ])('leaves %s as they are', async (_what, text) => {
    const flowId = await flowWith(`export const code = () => 1;\n${text}`);
    const { page } = await visit();
    const code = await open(page, flowId);

    await code.press('Control+Home');
    await page.keyboard.type('//');
    await saved(page);

    expect((await sourceOf(flowId)).code).toBe(`//export const code = () => 1;\n${text}`);
  });

  it('lets the keyboard go on with Tab, and indents only after Enter and until Escape', async () => {
    const flowId = await flowWith('export const code = () => 1;\n');
    const { page } = await visit();
    const code = await open(page, flowId);
    await code.focus();

    await page.keyboard.press('Tab');
    await page.locator(':focus').and(code).waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+Tab');
    await page.locator(':focus').and(code).waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.locator(':focus').and(code).waitFor({ state: 'detached' });
    await saved(page);

    expect((await sourceOf(flowId)).code).toBe('export const code = () => 1;\n\n  1');
    await settingsIn(page).getByText('Tab leaves the code. After Enter it indents, until Escape.').waitFor();
  });

  it('suggests what the input has, with the values of the last test', async () => {
    const flowId = await flowWith('export const code = async (inputs) => {\n  \n};\n', {
      customer: '{{ trigger.body.customer }}',
      lines: '{{ trigger.body.lines }}',
    });
    const { page } = await visit();
    const code = await open(page, flowId);
    const suggestions = page.getByRole('listbox', { name: 'Suggestions' });

    await code.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.type('return inputs.');
    await suggestions.getByRole('option', { name: /lines/ }).waitFor();
    await page.keyboard.type('cus');
    await suggestions.getByRole('option', { name: /lines/ }).waitFor({ state: 'detached' });
    await takeSuggestion(page, /customer/);
    await saved(page);

    expect((await sourceOf(flowId)).code).toBe(
      'export const code = async (inputs) => {\n  return inputs.customer\n};\n',
    );
  });

  it('finds text with Ctrl-F', async () => {
    const flowId = await flowWith('const needle = 1;\nexport const code = () => needle;\n');
    const { page } = await visit();
    const code = await open(page, flowId);

    await code.press('Control+f');
    await page.keyboard.type('needle');
    await page.keyboard.press('Enter');

    await expectAccessible(page);
    await settingsIn(page).getByRole('textbox', { name: 'Find' }).press('Escape');
    await page.locator(':focus').and(code).waitFor();
  });

  it('edits packages by name and version', async () => {
    const flowId = await flowWith('export const code = () => 1;\n');
    const { page } = await visit();
    await open(page, flowId);
    const packages = settingsIn(page).getByRole('group', { name: 'Packages' });

    await packages.getByRole('button', { name: 'Add package' }).click();
    await packages.getByRole('textbox', { name: 'Name of package 1' }).fill('dayjs');
    await packages.getByRole('textbox', { name: 'Version of package 1' }).fill('1.11.13');
    await saved(page);
    expect(JSON.parse((await sourceOf(flowId)).packageJson)).toEqual({ dependencies: { dayjs: '1.11.13' } });

    await packages.getByRole('button', { name: 'Remove package dayjs' }).click();
    await saved(page);
    expect(JSON.parse((await sourceOf(flowId)).packageJson)).toEqual({ dependencies: {} });
  });

  it('is a plain field when the editor cannot be loaded', async () => {
    const flowId = await flowWith('export const code = () => 1;\n');
    const { page, complaints } = await visit();
    const part = /\/assets\/code-part-.*\.js/;
    complaints.expectFailuresOf(part);
    await page.route(part, (route) => route.abort());
    const code = await open(page, flowId);

    await code.fill('export const code = () => 2;\n');
    await saved(page);

    expect((await sourceOf(flowId)).code).toBe('export const code = () => 2;\n');
  });

  it.each(['light', 'dark'] as const)('is accessible in a %s system', async (colorScheme) => {
    const flowId = await flowWith(
      "import { z } from 'zod';\n\n// adds up\ninterface Inputs { prices: number[] }\n\nexport const code = async ({ prices }: Inputs) => {\n  const sum = prices.reduce((all, price) => all + price, 0);\n  return { sum, text: `${sum} EUR`, isLarge: sum > 100 || /x+/.test('x') };\n};\n",
    );
    const { page } = await visit({ colorScheme });
    const code = await open(page, flowId);

    await code.press('Control+End');
    await page.keyboard.type('con');
    await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();

    await expectAccessible(page);
    await takePicture(page, `code-editor-${colorScheme}`);
  });
});
