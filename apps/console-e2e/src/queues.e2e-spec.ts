import { serviceUnderTest } from '@millrace/e2e-support';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';

const FAILED = {
  id: 'job-1',
  queue: 'flow-runs',
  kind: 'ExecuteFlowJob',
  failedAt: '2026-11-23T15:42:49.000Z',
  attempts: 3,
  reason: 'The database <b>was</b> away.',
  whatToDo: 'Nothing has to be done.',
  runs: [],
  subject: null,
};

describe('the queues', () => {
  const visit = visits();
  const { adminEmail: email, adminPassword: password } = serviceUnderTest();

  it('are counted for administrators of the installation, and name the oldest run that waits', async () => {
    const { page } = await visit();
    await signInTo(page, '/queues', { email, password });

    await page.getByRole('region', { name: 'Jobs that carry runs' }).getByText(/^\d+$/).first().waitFor();
    await page.getByRole('region', { name: 'Runs that have not begun' }).getByText('The oldest waits since').waitFor();
    await page.getByText('No job has failed.').waitFor();
    const board = process.env['MILLRACE_QUEUE_BOARD_PASSWORD'] === undefined ? 'is off' : 'Open the queue board';
    await page.getByText(board).waitFor();
  });

  it('say why a job has failed, and retry it when that is confirmed', async () => {
    const { page, complaints } = await visit();
    complaints.expectFailuresOf(/admin\/queue\/retry/);
    // No job of these tests fails. The answer is as the API documents it.
    await page.route('**/api/v1/admin/queue/failed?**', (route) => route.fulfill({ json: { data: [FAILED] } }));
    await signInTo(page, '/queues', { email, password });

    const job = page.getByRole('row', {
      name: /ExecuteFlowJob.*The database <b>was<\/b> away\..*Nothing has to be done/,
    });
    await job.getByRole('button', { name: 'Retry…' }).click();
    const asked = page.waitForRequest(/\/admin\/queue\/retry\/job-1$/);
    await page.getByRole('button', { name: 'Retry job' }).click();

    expect((await asked).method()).toBe('POST');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  it('are not offered to others', async () => {
    const { page } = await visit();
    await signInTo(page, '/queues', await newPerson());
    await page.getByText('Only administrators of the installation see the queues.').waitFor();
    expect(await page.getByRole('link', { name: 'Queues' }).count()).toBe(0);
  });
});
