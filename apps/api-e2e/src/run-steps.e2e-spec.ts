import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

const LINK = 'https://x/api/v1/flow-runs/1/requests/secret-id/sync';
const BODY = `export const code = async ({ n }) => {
  console.log('n is ' + n);
  if (n === 3) throw new Error('three');
  return { n, link: '${LINK}' };
};`;
const LARGE = `export const code = async () => 'x'.repeat(1_100_000);`;

interface Summary {
  path: string;
  type: string;
  status: string;
  iterations?: { count: number; failed: number; firstFailed: number | null };
  steps?: number;
}

interface Page {
  data: Summary[];
  next: string | null;
}

describe('the steps of a run, in parts', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let run: RunAnswer;
  let viewer: ServiceClient;

  beforeAll(async () => {
    project = await client.createProject('Run steps');
    const body = codeStep('tell', { n: '{{each.item}}' }, BODY);
    const trigger = webhookTrigger([codeStep('large', {}, LARGE), loop('each', '{{trigger.body.items}}', [body])]);
    const { id } = await client.publishFlow(project, 'Steps', trigger);
    run = await client.endedRun((await client.sendWebhook(id, { items: [1, 2, 3] })).body.id);
    const key = await client.must<{ value: string }>('POST', '/api-keys', {
      ...{ displayName: 'Reader', projectId: project, role: 'VIEWER' },
    });
    viewer = client.withToken(key.value);
  });

  const steps = (query = '') => client.must<Page>('GET', `/flow-runs/${run.id}/steps${query}`);
  const stepPath = (path: string) => `/flow-runs/${run.id}/steps/${encodeURIComponent(path)}`;
  const step = (path: string) => client.must<Record<string, unknown>>('GET', stepPath(path));

  it('are the trigger and the steps outside loops, without their data', async () => {
    const { data } = await steps();

    expect(data).toMatchObject([
      { path: 'trigger', type: 'WEBHOOK', status: 'SUCCEEDED' },
      { path: 'large', type: 'CODE', status: 'SUCCEEDED' },
      { path: 'each', status: 'FAILED', iterations: { count: 3, failed: 1, firstFailed: 2 } },
    ]);
    for (const summary of data)
      for (const name of ['input', 'output', 'logs']) expect(summary).not.toHaveProperty(name);
  });

  it('are the iterations of a loop, in pages, and the steps of one of them', async () => {
    const first = await steps('?path=each&limit=2');
    const second = await steps(`?path=each&limit=2&cursor=${first.next}`);

    expect([...first.data, ...second.data]).toMatchObject([
      { path: 'each[0]', type: 'ITERATION', status: 'SUCCEEDED', steps: 1 },
      { path: 'each[1]' },
      { path: 'each[2]', status: 'FAILED' },
    ]);
    expect(second.next).toBeNull();
    expect((await steps('?path=each[2]')).data).toMatchObject([{ path: 'each[2].tell', status: 'FAILED' }]);
    expect((await steps('?path=each[3]')).data).toEqual([]);
    const foreign = await client.request('GET', `/flow-runs/${run.id}/steps?cursor=${first.next}`);
    expect(foreign.status).toBe(400);
  });

  it('are each read with the same data as in the run', async () => {
    const { trigger, large, each } = run.steps ?? {};
    const { iterations, ...output } = each?.output as { iterations: Record<string, object>[] };

    expect(await step('trigger')).toEqual({ path: 'trigger', ...trigger });
    expect(await step('each')).toEqual({ path: 'each', ...each, output });
    expect(await step('each[1].tell')).toMatchObject({
      ...{ path: 'each[1].tell', ...iterations[1]?.['tell'] },
      ...{ input: { n: 2 }, output: { n: 2 }, logs: ['n is 2'] },
    });
    expect(await step('each[2].tell')).toMatchObject({ errorMessage: expect.stringContaining('three') as string });
    expect(await step('large')).toMatchObject({
      output: null,
      outputFile: { ...(large as { outputFile?: object }).outputFile, url: expect.any(String) as string },
    });
  });

  it('are counted over all iterations', async () => {
    expect(await client.must('GET', `/flow-runs/${run.id}/step-totals`)).toMatchObject({
      data: [
        { stepName: 'large', count: 1 },
        { stepName: 'each', count: 1, iterations: 3, status: 'FAILED' },
        { stepName: 'tell', count: 3, status: 'FAILED' },
      ],
    });
  });

  it.each(['each[3].tell', 'none', 'each[0]', '__proto__', 'tell'])('have none at %s', async (path) =>
    expect(await client.request('GET', stepPath(path))).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'step', entityId: path } },
    }),
  );

  it('are left out of the run when they are larger than asked for', async () => {
    const read = (bytes: number | string) =>
      client.request<object>('GET', `/flow-runs/${run.id}?maxStepsBytes=${bytes}`);
    const { stepsBytes, ...rest } = (await read(10)).body as { stepsBytes: number };

    expect(rest).not.toHaveProperty('steps');
    expect(rest).toMatchObject({ id: run.id, status: 'FAILED' });
    expect((await read(stepsBytes)).body).toHaveProperty('steps');
    expect(await read('x')).toMatchObject({ status: 400 });
  });

  it('show a VIEWER no link that answers a request', async () => {
    const read = async (from: ServiceClient) => JSON.stringify(await from.must('GET', stepPath('each[0].tell')));

    expect(await read(client)).toContain('/requests/secret-id/');
    expect(await read(viewer)).toContain('/requests/**REDACTED**/');
  });
});
