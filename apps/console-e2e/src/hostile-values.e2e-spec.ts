import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { RunAnswer } from '@millrace/e2e-support';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { expectNoSidewaysScrolling } from './testing/layout';
import { newPerson, signInTo, type Person } from './testing/people';

/** What the page must not become, and what text must not do. */
const SCRIPT = `<img src="x" onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
/** Turns what follows it from right to left. */
const TURNED = 'a\u202eb';
const NAME = `${SCRIPT} ${TURNED} __proto__ {{trigger.body}}`;
const STEP = `<b>Step</b> ${TURNED}`;
const NESTED_LEVELS = 110;

const CODE = `export const code = async () => {
  console.log(${JSON.stringify(`${SCRIPT} ${TURNED}`)}, 'a\\u0000b', '\\ud800');
  console.log('y'.repeat(100000));
  let nested = 'the end';
  for (let level = 0; level < ${NESTED_LEVELS}; level++) nested = { d: nested };
  return {
    [${JSON.stringify(SCRIPT)}]: ${JSON.stringify(SCRIPT)},
    turned: ${JSON.stringify(TURNED)},
    nothing: 'a\\u0000b',
    half: '\\ud800',
    long: 'z'.repeat(99_999) + '!',
    keys: JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":"c","toString":"t","hasOwnProperty":"h"}'),
    numbers: [2 ** 53 + 2, -(2 ** 60), 1e308, 5e-324, 0.1 + 0.2],
    nested,
  };
};`;
const FAILS = `export const code = async () => {
  throw new Error(${JSON.stringify(`${SCRIPT} ${TURNED} `)} + 'e'.repeat(100000));
};`;
/** Where two letters of the word behind the mark stand, in the first link of the table. */
const BEHIND_THE_MARK = `(() => {
  const { lastChild } = document.querySelector('tbody a');
  const word = lastChild.data.indexOf('proto');
  return [word, word + 4].map((at) => {
    const range = document.createRange();
    range.setStart(lastChild, at);
    range.setEnd(lastChild, at + 1);
    return range.getBoundingClientRect().left;
  });
})()`;

describe('values that others made to do harm', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;
  let run: RunAnswer;
  let otherRun: RunAnswer;

  beforeAll(async () => {
    person = await newPerson('Orders');
    const made = codeStep('made', {}, CODE, { displayName: STEP });
    const fails = codeStep('fails', {}, FAILS, { displayName: 'Fails' });
    const trigger = webhookTrigger([made, fails]);
    ({ id: flowId } = await person.client.publishFlow(person.projectId, NAME, trigger));
    run = await send('{"__proto__":{"polluted":1},"n":9007199254740993,"half":"\\ud800","nothing":"\\u0000"}');
    otherRun = await send(JSON.stringify({ html: SCRIPT, turned: TURNED }));
    await person.client.importFlow(flowId, `${NAME} 2`, webhookTrigger([{ ...made, displayName: `${STEP} 2` }]));
  });

  const send = async (body: string) => {
    const { body: sent } = await person.client
      .withToken(null)
      .request<{ id: string }>('POST', `/webhooks/${flowId}`, body);
    return person.client.endedRun(sent.id);
  };
  const open = async (address: string) => {
    const { page } = await visit();
    await signInTo(page, address, person);
    return page;
  };
  const message = () => run.failedStep?.message ?? '';
  const stepOf = (page: Page) => page.getByRole('complementary', { name: 'Step' });
  const outputOf = async (page: Page) => {
    await page.getByRole('list', { name: 'Timeline' }).getByRole('button').filter({ hasText: STEP }).click();
    await stepOf(page).getByRole('tab', { name: 'Output' }).click();
    return stepOf(page).getByRole('region', { name: 'Output' });
  };
  /** What a person sees, also of what the page adds to the text. */
  const heightOf = async (page: Page, text: string) => (await page.getByText(text).first().boundingBox())?.height;

  it('are names in the list of flows', async () => {
    const page = await open('/flows');
    expect(await page.getByRole('row').nth(1).getByRole('link').first().textContent()).toBe(`${NAME} 2`);
    await expectNoSidewaysScrolling(page);
    expect(await page.title()).toBe('Flows · Millrace');
  });

  it('are names and reasons in the list of runs, which they do not stretch', async () => {
    const page = await open('/runs');
    const row = page.getByRole('row').nth(1);
    expect(await row.getByRole('link').first().textContent()).toBe(NAME);
    await row.getByText(SCRIPT).last().waitFor();
    expect((await row.boundingBox())?.height).toBeLessThan(160);
    await expectNoSidewaysScrolling(page);
  });

  it('are the name, the step and the error of a run', async () => {
    const page = await open(`/runs/${run.id}`);
    const heading = page.getByRole('heading', { level: 1 }).filter({ hasText: 'Run of' });
    expect(await heading.textContent()).toBe(`Run of ${NAME}`);
    expect(await page.title()).toContain('a\\u202eb');
    await page.getByText(`${SCRIPT} ${TURNED}`).first().waitFor();
    await stepOf(page).getByRole('tab', { name: 'Error' }).click();
    const error = await stepOf(page).getByRole('tabpanel').textContent();
    expect(error).toBe(message());
    expect(message().length).toBeGreaterThan(10_000);
    await expectNoSidewaysScrolling(page);
  });

  it('are shown in short above a run, and whole when asked', async () => {
    const page = await open(`/runs/${run.id}`);
    const whole = page.getByRole('button', { name: /^Show all 1\d,\d{3} letters/ });
    await whole.click();
    await whole.waitFor({ state: 'detached' });
    await page.getByText(message().slice(-500)).first().waitFor();
  });

  it('are lines of the log', async () => {
    const page = await open(`/runs/${run.id}?tab=logs`);
    const lines = page.getByRole('list', { name: 'Logs' }).getByRole('listitem');
    await lines.nth(1).getByRole('button', { name: STEP }).waitFor();
    const logged = run.steps?.['made']?.logs ?? [];
    expect(logged.length).toBe(2);
    for (const [index, line] of logged.entries()) expect(await lines.nth(index).textContent()).toBe(STEP + line);
  });

  it('are keys and values of outputs, also keys that have a meaning for programs', async () => {
    const page = await open(`/runs/${run.id}`);
    const output = await outputOf(page);
    await output.getByRole('button', { name: 'keys', exact: false }).filter({ hasText: '4 keys' }).click();
    await output.getByRole('button', { name: '__proto__' }).click();
    for (const value of ['"yes"', '"c"', '"t"', '"h"', JSON.stringify(TURNED)]) await output.getByText(value).waitFor();
    expect(await output.getByText(SCRIPT).count()).toBe(2);
  });

  it('are keys and values also after the page has read the run again', async () => {
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', {});
    const projectId = await person.client.createProject('Asks');
    const { id } = await person.client.publishFlow(projectId, 'Asks', webhookTrigger([ask]));
    const { body: sent } = await person.client.sendWebhook(id, JSON.parse('{"__proto__":{"polluted":1}}'));
    const { requestId } = await person.client.pausedRun(sent.id);
    const page = await open(`/runs/${sent.id}?step=trigger&part=output`);
    const output = stepOf(page).getByRole('region', { name: 'Output' });
    await output.getByRole('button', { name: /^body/ }).click();
    const key = output.getByRole('button', { name: /^__proto__/ });
    await key.waitFor();

    await person.client.must('POST', `/flow-runs/${sent.id}/requests/${requestId}?action=approve`);
    await page.getByText('Succeeded', { exact: true }).first().waitFor();

    await key.click();
    await output.getByRole('button', { name: /^polluted/ }).waitFor();
  });

  it('are numbers exactly as the service has them', async () => {
    const page = await open(`/runs/${run.id}`);
    const output = await outputOf(page);
    await output.getByRole('button', { name: 'numbers' }).click();
    for (const number of ['9007199254740994', '-1152921504606847000', '1e+308', '5e-324', '0.30000000000000004'])
      await output.getByText(number, { exact: true }).waitFor();
  });

  it('are texts of 100,000 letters, shown in parts and copied whole', async () => {
    const { page, context } = await visit();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInTo(page, `/runs/${run.id}`, person);
    const output = await outputOf(page);
    await output.getByRole('button', { name: 'long' }).click();
    await output.getByRole('button', { name: 'Copy value' }).click();
    await output.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect([copied.length, copied.endsWith('z!')]).toEqual([100_000, true]);
  });

  it('are found at any depth, with the way to them', async () => {
    const page = await open(`/runs/${run.id}`);
    const output = await outputOf(page);
    await output.getByRole('searchbox').fill('the end');
    await output.getByText(`nested${'.d'.repeat(NESTED_LEVELS)}`).waitFor();
  });

  it('are groups of failures, in short', async () => {
    const page = await open(`/failures?projectId=${person.projectId}`);
    const group = page.getByRole('article').first();
    await group.getByText(SCRIPT).first().waitFor();
    expect((await group.boundingBox())?.height).toBeLessThan(400);
    await expectNoSidewaysScrolling(page);
  });

  it('are what changed in a version', async () => {
    const page = await open(`/flows/${flowId}/versions`);
    const comparison = page.getByRole('region', { name: 'Compare two versions' });
    await comparison.getByRole('region', { name: 'Changed' }).waitFor();
    expect(await comparison.getByRole('insertion').allTextContents()).toEqual([`${NAME} 2`, `${STEP} 2`]);
    await expectNoSidewaysScrolling(page);
  });

  it('are what two runs differ in', async () => {
    const page = await open(`/runs/${run.id}/compare/${otherRun.id}`);
    const input = page.getByRole('region', { name: 'Input of the run' });
    await input.getByText(JSON.stringify(SCRIPT)).waitFor();
    await input.getByText('"__proto__"').first().waitFor();
    await input.getByText(JSON.stringify(TURNED)).waitFor();
    await expectNoSidewaysScrolling(page);
  });

  it('are steps on the canvas', async () => {
    const page = await open(`/flows/${flowId}`);
    await page.getByRole('button', { name: `${STEP} 2 code` }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`${NAME} 2`);
  });

  it('turn nothing around them', async () => {
    const page = await open(`/flows?projectId=${person.projectId}`);
    await page.getByRole('row').nth(1).getByRole('link').first().waitFor();
    const [first, last] = await page.evaluate<[number, number]>(BEHIND_THE_MARK);
    expect(first).toBeLessThan(last);
    expect(await heightOf(page, '__proto__')).toBeLessThan(100);
  });
});
