import { builtInStep, webhookTrigger } from '@millrace/domain/testing';
import type { Route } from 'playwright-core';
import { visits } from './testing/browser';
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
