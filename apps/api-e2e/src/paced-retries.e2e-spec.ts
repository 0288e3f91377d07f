import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface PacedRetry {
  id: string;
  status: string;
  total: number;
  started: number;
  skipped: number;
  succeeded: number;
  failed: number;
  finished: string | null;
}

const BREAKS = 'export const code = async () => { throw new Error("broken"); };';
const WORKS = 'export const code = async () => "mended";';

describe('paced retries', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  const flowWith = (code: string) => webhookTrigger([codeStep('find', {}, code)], { authType: 'none' });
  const publish = async (code: string) => {
    await client.importFlow(flowId, 'Retried', flowWith(code));
    await client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  };
  const fail = async (count: number) => {
    const sent = await Promise.all(Array.from({ length: count }, (_, n) => client.sendWebhook(flowId, { n })));
    for (const { body } of sent) await client.endedRun(body.id);
  };
  const make = async (pace: object, by = client) =>
    by.must<{ retried: number; pacedRetryId: string }>('POST', '/flow-runs/retry', {
      projectId: project,
      flowId,
      strategy: 'ON_LATEST_VERSION',
      ...pace,
    });
  const read = (id: string) => client.must<PacedRetry>('GET', `/paced-retries/${id}`);
  const ended = async (id: string): Promise<PacedRetry> => {
    for (;;) {
      const retry = await read(id);
      if (retry.status !== 'RUNNING') return retry;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeEach(async () => {
    project = await client.createProject('Paced retries');
    flowId = (await client.publishFlow(project, 'Retried', flowWith(BREAKS))).id;
  });

  it('retry all runs a few a second, and say how far they have come', async () => {
    await fail(5);
    await publish(WORKS);
    const { retried, pacedRetryId } = await make({ ratePerSecond: 2 });
    expect(retried).toBe(0);

    const made = await read(pacedRetryId);
    expect(made).toMatchObject({ projectId: project, flowId, ratePerSecond: 2, stopAfterFailures: null, total: 5 });
    const done = await ended(pacedRetryId);
    expect(done).toMatchObject({ status: 'DONE', started: 5, skipped: 0, succeeded: 5, failed: 0 });
    expect(Date.parse(done.finished ?? '') - Date.parse(done['created' as keyof PacedRetry] as string)).toBeGreaterThan(
      1_900,
    );
    const list = await client.must<{ data: PacedRetry[] }>('GET', `/paced-retries?projectId=${project}`);
    expect(list.data).toEqual([done]);
    expect(await client.must('GET', `/flow-runs/count?flowId=${flowId}&projectId=${project}&status=SUCCEEDED`)).toEqual(
      {
        count: 5,
      },
    );
  });

  it('stop when retries fail', async () => {
    await fail(6);
    const { pacedRetryId } = await make({ ratePerSecond: 1, stopAfterFailures: 2 });
    const stopped = await ended(pacedRetryId);
    expect(stopped).toMatchObject({ status: 'STOPPED', total: 6 });
    expect(stopped.failed).toBeGreaterThanOrEqual(2);
    expect(stopped.started).toBeLessThan(6);
  });

  it('are cancelled, and start nothing any more', async () => {
    await fail(4);
    const { pacedRetryId } = await make({ ratePerSecond: 1 });
    expect(await client.must('POST', `/paced-retries/${pacedRetryId}/cancel`)).toMatchObject({ status: 'CANCELLED' });
    const { started } = await read(pacedRetryId);
    expect(started).toBeLessThan(4);
    expect(await client.must('POST', `/paced-retries/${pacedRetryId}/cancel`)).toMatchObject({ status: 'CANCELLED' });
  });

  it('are one for a call that is repeated with its key', async () => {
    const body = { projectId: project, flowRunIds: [], strategy: 'FROM_FAILED_STEP', ratePerSecond: 1 };
    const headers = { 'idempotency-key': `paced ${project}` };
    const first = await client.request('POST', '/flow-runs/retry', body, headers);
    expect((await client.request('POST', '/flow-runs/retry', body, headers)).body).toEqual(first.body);
  });

  it.each([
    ['no run in a second', { ratePerSecond: 0 }, '/ratePerSecond'],
    ['too many', { ratePerSecond: 101 }, '/ratePerSecond'],
    ['half a run', { ratePerSecond: 1.5 }, '/ratePerSecond'],
    ['no failure', { stopAfterFailures: 0 }, '/stopAfterFailures'],
    ['null', { stopAfterFailures: null }, '/stopAfterFailures'],
  ])('are refused with %s', async (_what, pace, path) => {
    const body = { projectId: project, strategy: 'ON_LATEST_VERSION', ...pace };
    expect(await client.request('POST', '/flow-runs/retry', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path }] } },
    });
  });
});
