import { builtInStep, webhookTrigger } from '@millrace/domain/testing';
import type { Route } from 'playwright-core';
import { expectAccessible } from './testing/accessibility';
import { visits } from './testing/browser';
import { expectNoSidewaysScrolling } from './testing/layout';
import { newPerson, signInTo, type Person } from './testing/people';

describe('approvals', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Approver');
  });

  /** A run of a project of its own that waits for a person. */
  const waiting = async () => {
    const { client } = person;
    const projectId = await client.createProject('Refunds');
    const trigger = webhookTrigger([builtInStep('ask', 'approval', 'wait_for_approval', {})]);
    const { id } = await client.publishFlow(projectId, 'Refunds', trigger);
    const runId = (await client.sendWebhook(id, {})).body.id;
    const run = await client.runOnce(runId, ({ status }) => status === 'PAUSED');
    return { projectId, runId, requestId: run.waitingOn?.requestId };
  };

  it.each([
    ['Approve', { approved: true }],
    ['Disapprove', { approved: false }],
  ])('are given on a phone: %s', async (name, output) => {
    const { projectId, runId } = await waiting();
    const { page } = await visit({ viewport: { width: 390, height: 844 } });
    await signInTo(page, `/approvals?projectId=${projectId}`, person);

    await page.getByRole('article', { name: 'Refunds' }).getByRole('button', { name, exact: true }).click();

    expect(await person.client.endedRun(runId)).toMatchObject({ status: 'SUCCEEDED', steps: { ask: { output } } });
    await page.getByText('Nothing waits for a person.').waitFor();
  });

  it('say who asks and why, and what the run was started with, also on a phone', async () => {
    const { client } = person;
    const projectId = await client.createProject('Large refunds');
    const input = { message: 'Is {{trigger.body.amount}} too dear?\n<b>Ada</b> asks.' };
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', input, { displayName: 'Ask the owner' });
    const { id } = await client.publishFlow(projectId, 'Refunds', webhookTrigger([ask]));
    await client.pausedRun((await client.sendWebhook(id, { amount: 4031 })).body.id);
    const { page } = await visit({ viewport: { width: 390, height: 844 } });
    await signInTo(page, `/approvals?projectId=${projectId}`, person);

    const article = page.getByRole('article', { name: 'Refunds' });
    await article.getByText('“Ask the owner” asks.').waitFor();
    await article.getByText('Is 4031 too dear?\n<b>Ada</b> asks.').waitFor();
    await article.getByText('What the run was started with').click();
    await article
      .getByRole('region', { name: 'What the run was started with' })
      .getByText('body', { exact: true })
      .waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
  });

  it('that need a form lead to it', async () => {
    const { client } = person;
    const projectId = await client.createProject('Addresses');
    const fields = [{ name: 'street', label: 'Street', type: 'text', required: true }];
    const ask = builtInStep('ask', 'human_input', 'wait_for_input', { fields, message: 'Where does it go?' });
    const { id } = await client.publishFlow(projectId, 'Address', webhookTrigger([ask]));
    const run = await client.pausedRun((await client.sendWebhook(id, {})).body.id);
    const { page, context } = await visit();
    await signInTo(page, `/approvals?projectId=${projectId}`, person);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Fill in the form' }).click();
    const form = await opened;
    await form.getByText('Where does it go?').waitFor();
    await form.getByLabel('Street').fill('Mill Lane');
    await form.getByRole('button', { name: 'Send' }).click();

    expect(await client.endedRun(run.id)).toMatchObject({ steps: { ask: { output: { street: 'Mill Lane' } } } });
  });

  it('that somebody else was faster with say so', async () => {
    const { projectId, runId, requestId } = await waiting();
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/requests/);
    const answered = async (route: Route) => {
      const answer = await route.fetch();
      await person.client.must('POST', `/flow-runs/${runId}/requests/${requestId}?action=approve`, {});
      await route.fulfill({ response: answer });
    };
    await page.route('**/api/v1/flow-runs?**', answered, { times: 1 });
    await signInTo(page, `/approvals?projectId=${projectId}`, person);

    await page.getByRole('button', { name: 'Disapprove' }).click();

    await page.getByRole('alert').getByText(/./).first().waitFor();
    await page.getByText('Nothing waits for a person.').waitFor();
  });
});
