import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';
import { takePicture } from './testing/pictures';

const THROWS_AT_THREE = `export const code = async ({ item }) => {
  if (item === 3) throw new Error('<i>three</i>');
  return { item };
};`;

describe('two runs', () => {
  const visit = visits();
  let person: Person;
  let flowId: string;
  let good: string;
  let bad: string;

  const flowThat = (code: string) => {
    const tell = codeStep('tell', { item: '{{each.item}}' }, code, { displayName: 'Tell warehouse' });
    return webhookTrigger([loop('each', '{{trigger.body.items}}', [tell], { displayName: 'Each line' })]);
  };
  const ended = async (items: number[]) => {
    const { body } = await person.client.sendWebhook(flowId, { items });
    return (await person.client.endedRun(body.id)).id;
  };
  const input = (page: Page) => page.getByRole('region', { name: 'Input of the run' });
  const differences = (page: Page) => page.getByRole('region', { name: 'Differences' });
  const step = (page: Page, name: string) => differences(page).getByRole('button', { name, exact: false });

  beforeAll(async () => {
    person = await newPerson('Orders');
    ({ id: flowId } = await person.client.publishFlow(person.projectId, 'Order intake', flowThat(THROWS_AT_THREE)));
    good = await ended([1, 2]);
    bad = await ended([1, 3]);
  });

  it('are compared from the page of one, which offers the last that succeeded', async () => {
    const { page } = await visit();
    await signInTo(page, `/runs/${bad}`, person);

    await page.getByRole('button', { name: 'Compare…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').filter({ hasText: 'succeeded before' }).getByRole('link').click();

    await page.getByRole('heading', { name: 'Compare runs', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/runs/${good}/compare/${bad}`);
    await page.getByRole('region', { name: 'Right' }).getByText('Tell warehouse: Error: <i>three</i>').waitFor();
  });

  it('stand beside each other: what they were given, and what each step did otherwise', async () => {
    const { page } = await visit();
    await signInTo(page, `/runs/${good}/compare/${bad}`, person);

    expect(await input(page).getByRole('deletion').first().innerText()).toBe('      2');
    expect(await input(page).getByRole('insertion').first().innerText()).toBe('      3');
    const error = differences(page).getByRole('group', { name: 'Error' });
    expect(await error.getByRole('insertion').innerText()).toContain('Error: <i>three</i>');
    expect(await step(page, 'Tell warehouse, iteration 2').innerText()).toContain('Succeeded → Failed');
    await step(page, 'Each line').click();
    const output = differences(page).getByRole('group', { name: 'Output' });
    await output.waitFor();
    expect(new URL(page.url()).searchParams.get('step')).toBe('each');

    await page.reload();
    await output.waitFor();
    await step(page, 'Tell warehouse, iteration 2').click();
    await differences(page).getByRole('link', { name: 'Open the step' }).click();
    await page.getByRole('complementary', { name: 'Step' }).getByText('iteration 2').waitFor();
  });

  it('stand below each other on a phone, with what is the same shown once', async () => {
    const { page } = await visit({ viewport: { width: 390, height: 844 } });
    await signInTo(page, `/runs/${good}/compare/${bad}`, person);
    const boxOf = async (name: string) => (await page.getByRole('region', { name }).boundingBox()) ?? fail();
    const [left, right] = [await boxOf('Left'), await boxOf('Right')];
    expect(right.x).toBe(left.x);
    expect(right.y).toBeGreaterThan(left.y + left.height);

    const [before, after] = [input(page).getByRole('deletion'), input(page).getByRole('insertion')];
    expect((await before.first().boundingBox())?.x).toBe((await after.first().boundingBox())?.x);
    expect(await input(page).getByText('"items"').filter({ visible: true }).count()).toBe(1);
    await takePicture(page, 'compare-390');
  });

  it('change sides', async () => {
    const { page } = await visit();
    await signInTo(page, `/runs/${good}/compare/${bad}`, person);

    await page.getByRole('button', { name: 'Swap the sides' }).click();

    await page.getByRole('region', { name: 'Left' }).getByText('Failed').waitFor();
    expect(await input(page).getByRole('deletion').first().innerText()).toBe('      3');
  });

  it('of different versions say what differs between these', async () => {
    await person.client.importFlow(
      flowId,
      'Order intake',
      flowThat(THROWS_AT_THREE.replace('throw', 'if (item) throw')),
    );
    await person.client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    const later = await ended([1, 3]);
    const { page } = await visit();
    await signInTo(page, `/runs/${bad}/compare/${later}`, person);

    await page.getByText('The runs executed different versions of the flow.').waitFor();
    await page.getByText('Show what differs between the versions').click();

    await page.getByRole('region', { name: 'Changed' }).getByText('if (item) throw').waitFor();
  });

  it('that did the same say so', async () => {
    const { page } = await visit();
    await signInTo(page, `/runs/${bad}/compare/${bad}`, person);
    await page.getByRole('status').getByText('Both runs did the same on the same input.').waitFor();
  });

  it('of which one is not there show that nothing is', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/\/diff\//);
    await signInTo(page, `/runs/${bad}/compare/0199f000-0000-7000-8000-000000000001`, person);
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  });
});

const fail = (): never => {
  throw new Error('It is not shown.');
};
