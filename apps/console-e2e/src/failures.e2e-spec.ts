import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { visits } from './testing/browser';
import { newPerson, signInTo, type Person } from './testing/people';

const BREAKS = 'export const code = async ({ n }) => { throw new Error(`Order ${n} is unknown`); };';
const WORKS = 'export const code = async ({ n }) => n;';

describe('failures', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('On call');
  });

  /** A flow of a project of its own, of which as many runs have failed alike. */
  const failed = async (count: number) => {
    const projectId = await person.client.createProject('On call');
    const find = (code: string) => webhookTrigger([codeStep('find', { n: '{{trigger.body.n}}' }, code)]);
    const { id: flowId } = await person.client.publishFlow(projectId, 'Order intake', find(BREAKS));
    for (let n = 0; n < count; n++)
      await person.client.endedRun((await person.client.sendWebhook(flowId, { n })).body.id);
    const mend = async () => {
      const request = { displayName: 'Order intake', trigger: find(WORKS) };
      await person.client.must('POST', `/flows/${flowId}`, { type: 'IMPORT_FLOW', request });
      await person.client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    };
    return { projectId, mend };
  };

  it('that are alike are one card; one is tried, and then all are retried', async () => {
    const { projectId, mend } = await failed(3);
    const { page } = await visit();
    await signInTo(page, `/failures?projectId=${projectId}`, person);
    const card = page.getByRole('article', { name: /Order \d is unknown/ });
    await card.getByText('› find').waitFor();
    await page.getByText('1 group · 3 runs').waitFor();

    await mend();
    await card.getByRole('button', { name: 'Try one' }).click();
    await card.getByText('Tried one:').waitFor();
    await card.getByRole('status').getByText('Succeeded').waitFor();
    await card.getByRole('button', { name: 'Retry 3 runs…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry failed runs' });
    await dialog.getByRole('button', { name: 'Retry 2 runs' }).click(); // one was retried just now

    await card.getByText('Retried: 2 of 2 runs started; 2 succeeded, 0 failed.').waitFor();
    await page.reload();
    await card.getByText('Retried: 2 of 2 runs started; 2 succeeded, 0 failed.').waitFor();
  });

  it('stop being retried when retries fail, or when a person stops it', async () => {
    const { projectId } = await failed(6);
    const { page } = await visit();
    await signInTo(page, `/failures?projectId=${projectId}`, person);
    const card = page.getByRole('article', { name: /Order \d is unknown/ });
    const retryAt = async (perSecond: string, failures: string) => {
      await card.getByRole('button', { name: /^Retry \d+ runs…$/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Retry failed runs' });
      await dialog.getByLabel('Retries a second').fill(perSecond);
      await dialog.getByLabel('Stop after failures').fill(failures);
      await dialog.getByRole('button', { name: /^Retry \d+ runs$/ }).click();
    };

    await retryAt('1', '1');
    await card.getByText(/^Stopped after failures: \d of \d+ runs started/).waitFor();

    await retryAt('1', '');
    await card.getByRole('progressbar', { name: 'Retries started' }).waitFor();
    await card.getByRole('button', { name: 'Stop retrying' }).click();
    await card.getByText(/^Stopped by a person: \d of \d+ runs started/).waitFor();
  });

  it('are archived after a plan, and then nothing failed', async () => {
    const { projectId } = await failed(2);
    const { page } = await visit();
    await signInTo(page, `/failures?projectId=${projectId}`, person);

    await page.getByRole('button', { name: 'Archive 2 runs…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive failed runs' });
    await dialog.getByText('2 runs will be archived').waitFor();
    await dialog.getByRole('button', { name: 'Archive 2 runs' }).click();

    await page.getByText('No run failed in this time.').waitFor();
  });
});
