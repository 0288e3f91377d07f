import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

interface StepTestAnswer {
  runId: string;
  status: string;
  input?: unknown;
  output?: unknown;
  errorMessage?: string;
  logs?: string[];
  duration?: number;
}
type TestRunAnswer = RunAnswer & { environment: string; triggeredBy: string };

const DOUBLE = 'export const code = async ({ n }) => { console.log("doubling", n); return { twice: n * 2 }; };';
const THROW = 'export const code = async ({ n }) => { throw new Error(`no ${n}`); };';

describe('tests of a flow that is being built', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  const steps = () => [
    codeStep('double', { n: '{{trigger.body.n}}' }, DOUBLE),
    codeStep('triple', { n: '{{double.twice}}' }, 'export const code = async ({ n }) => n * 3;'),
  ];

  beforeEach(async () => {
    project = await client.createProject('Step tests');
    flowId = (await client.createFlow(project, 'Tested')).id;
    await client.importFlow(flowId, 'Tested', webhookTrigger(steps(), { authType: 'none' }));
  });

  const save = (stepName: string, payload: unknown) =>
    client.must('POST', `/flows/${flowId}`, {
      type: 'SAVE_SAMPLE_DATA',
      request: { stepName, type: 'OUTPUT', payload },
    });
  const sample = (stepName: string, type: string) =>
    client.request('GET', `/sample-data?flowId=${flowId}&stepName=${stepName}&type=${type}`);
  const testRun = (body?: unknown) => client.request<TestRunAnswer>('POST', `/flows/${flowId}/test-run`, body);
  const testStep = (stepName: string, more: object = {}) =>
    client.request<StepTestAnswer>('POST', '/sample-data/test-step', { flowId, stepName, ...more });
  const strangerTo = async () => {
    const other = await client.createProject('Strangers');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    return client.withToken(key.value);
  };
  const importSteps = (...list: Parameters<typeof webhookTrigger>[0] & object) =>
    client.importFlow(flowId, 'Tested', webhookTrigger(list, { authType: 'none' }));

  describe('a test run', () => {
    it('goes through the draft of a disabled flow with the payload it is given', async () => {
      const made = await testRun({ payload: { body: { n: 21 } } });
      expect(made).toMatchObject({ status: 201, body: { flowId, projectId: project, environment: 'TESTING' } });
      expect(made.body.triggeredBy).toMatch(/^api_key:/);

      const run = await client.endedRun(made.body.id);
      expect(run).toMatchObject({
        status: 'SUCCEEDED',
        environment: 'TESTING',
        steps: {
          trigger: { type: 'WEBHOOK', output: { body: { n: 21 } } },
          double: { output: { twice: 42 } },
          triple: { output: 126 },
        },
      });
    });

    it('sees the draft as it is each time', async () => {
      expect(await client.endedRun((await testRun({ payload: {} })).body.id)).toHaveProperty('steps.triple');
      await client.must('POST', `/flows/${flowId}`, { type: 'DELETE_ACTION', request: { names: ['triple'] } });
      expect(await client.endedRun((await testRun({ payload: {} })).body.id)).not.toHaveProperty('steps.triple');
    });

    it('takes the sample data of the trigger without a payload, and nothing without any', async () => {
      const outputOf = async (body?: unknown) =>
        (await client.endedRun((await testRun(body)).body.id)).steps?.['trigger']?.output;
      expect(await outputOf()).toEqual({});
      await save('trigger', { body: { n: 1 } });
      expect(await outputOf()).toEqual({ body: { n: 1 } });
      expect(await outputOf({})).toEqual({ body: { n: 1 } });
      expect(await outputOf({ payload: null })).toBeNull();
      expect(await outputOf({ payload: 'text \u0000' })).toBe('text \ufffd');
    });

    it('of a version that is not valid is refused, with what is wrong', async () => {
      await importSteps(codeStep('broken', {}, 'export const code = ('));
      expect(await testRun({ payload: {} })).toMatchObject({
        status: 409,
        body: { code: 'FLOW_VERSION_INVALID', params: { problems: [{ stepName: 'broken' }] } },
      });
      expect((await client.must<{ data: unknown[] }>('GET', `/flow-runs?projectId=${project}`)).data).toEqual([]);
    });

    it.each<[string, unknown, string]>([
      ['a list', [], ''],
      ['an unknown field', { payloads: {} }, '/payloads'],
    ])('is refused with %s for a body', async (_what, body, path) => {
      expect(await testRun(body)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path }] } },
      });
    });

    it('of a flow of another project is not to be had', async () => {
      const stranger = await strangerTo();
      expect(await stranger.request('POST', `/flows/${flowId}/test-run`, { payload: {} })).toMatchObject({
        status: 404,
        body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: flowId } },
      });
    });
  });

  describe('a step test', () => {
    it('runs it on the sample data of the steps before it, and keeps what it was given and gave', async () => {
      await save('trigger', { body: { n: 5 } });
      const first = await testStep('double');
      expect(first).toMatchObject({
        status: 200,
        body: { status: 'SUCCEEDED', input: { n: 5 }, output: { twice: 10 }, logs: ['doubling 5'] },
      });
      expect(first.body.errorMessage).toBeUndefined();
      expect(first.body.duration).toEqual(expect.any(Number));
      expect((await sample('double', 'INPUT')).body).toEqual({ n: 5 });
      expect((await sample('double', 'OUTPUT')).body).toEqual({ twice: 10 });

      const second = await testStep('triple');
      expect(second.body).toMatchObject({ status: 'SUCCEEDED', input: { n: 10 }, output: 30 });
      const run = await client.must<TestRunAnswer>('GET', `/flow-runs/${second.body.runId}`);
      expect(run).toMatchObject({ status: 'SUCCEEDED', environment: 'TESTING', steps: { triple: { output: 30 } } });
      expect(run.steps).not.toHaveProperty('double');
    });

    it('that fails says why, and keeps only what it was given', async () => {
      await importSteps(codeStep('bad', { n: '{{trigger.body.n}}' }, THROW));
      await save('trigger', { body: { n: 7 } });
      await save('bad', 'from before');
      const test = await testStep('bad');
      expect(test).toMatchObject({ status: 200, body: { status: 'FAILED', input: { n: 7 } } });
      expect(test.body.errorMessage).toContain('no 7');
      expect((await sample('bad', 'INPUT')).body).toEqual({ n: 7 });
      expect((await sample('bad', 'OUTPUT')).body).toBe('from before');
    });

    it('reaches a step inside a loop', async () => {
      await importSteps(
        loop('each', '{{trigger.body.list}}', [codeStep('inner', { n: '{{trigger.body.n}}' }, DOUBLE)]),
      );
      await save('trigger', { body: { n: 4, list: [1, 2] } });
      expect((await testStep('inner')).body).toMatchObject({ status: 'SUCCEEDED', output: { twice: 8 } });
    });

    it('needs only that step to be valid', async () => {
      await importSteps(codeStep('fine', { n: 1 }, DOUBLE), codeStep('broken', {}, 'export const code = ('));
      expect((await testStep('fine')).body).toMatchObject({ status: 'SUCCEEDED', output: { twice: 2 } });
      const refused = await testStep('broken');
      expect(refused).toMatchObject({ status: 409, body: { code: 'FLOW_VERSION_INVALID' } });
      const { problems } = (refused.body as unknown as { params: { problems: { stepName: string }[] } }).params;
      expect(problems.map(({ stepName }) => stepName)).toEqual(['broken']);
    });

    it.each(['nothing', '__proto__', 'trigger'])('of %s does not fit the flow', async (stepName) => {
      expect(await testStep(stepName)).toMatchObject({ status: 400, body: { code: 'FLOW_OPERATION_INVALID' } });
    });

    it.each<[string, object, string]>([
      ['no step named', { stepName: undefined }, '/stepName'],
      ['a flow that is no text', { flowId: 7 }, '/flowId'],
      ['an unknown field', { payload: {} }, '/payload'],
    ])('is refused with %s', async (_what, more, path) => {
      const answer = await testStep('double', more);
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
      const { errors } = (answer.body as unknown as { params: { errors: { path: string }[] } }).params;
      expect(errors.map((error) => error.path)).toContain(path);
    });

    it('of a flow of another project is not to be had', async () => {
      const answer = await (
        await strangerTo()
      ).request('POST', '/sample-data/test-step', { flowId, stepName: 'double' });
      expect(answer).toMatchObject({ status: 404, body: { params: { entityType: 'flow', entityId: flowId } } });
    });

    it('never shows or keeps what a connection holds', async () => {
      const secret = 'step-test-secret-91c2';
      await client.must('POST', '/connections', {
        projectId: project,
        externalId: 'vault',
        displayName: 'Vault',
        type: 'SECRET_TEXT',
        value: { secret_text: secret },
      });
      await importSteps(
        codeStep('uses', { key: "{{connections['vault']}}" }, 'export const code = async ({ key }) => key.length;'),
      );
      const test = await testStep('uses');
      expect(test.body).toMatchObject({ status: 'SUCCEEDED', input: { key: '**REDACTED**' }, output: secret.length });
      const run = await client.must('GET', `/flow-runs/${test.body.runId}`);
      for (const shown of [test.body, run, (await sample('uses', 'INPUT')).body])
        expect(JSON.stringify(shown)).not.toContain(secret);
    });
  });
});
