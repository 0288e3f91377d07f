import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

describe('sample data', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  beforeEach(async () => {
    project = await client.createProject('Samples');
    flowId = (await client.createFlow(project, 'Sampled')).id;
    await client.importFlow(flowId, 'Sampled', webhookTrigger([codeStep('first'), codeStep('second')]));
  });

  const operate = (type: string, request: object) => client.must('POST', `/flows/${flowId}`, { type, request });
  const save = (stepName: string, type: string, payload: unknown) =>
    operate('SAVE_SAMPLE_DATA', { stepName, type, payload });
  const read = (stepName: string, type: string, id = flowId) =>
    client.request('GET', `/sample-data?flowId=${id}&stepName=${stepName}&type=${type}`);
  const none = { status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'sample_data' } } };

  it.each([[{ a: [1, null] }], ['text'], [7], [false], [null], [[]]])(
    'reads back as it was saved: %j',
    async (payload) => {
      await save('first', 'OUTPUT', payload);
      expect(await read('first', 'OUTPUT')).toMatchObject({ status: 200, body: payload });
      expect(await read('first', 'INPUT')).toMatchObject(none);
    },
  );

  it('is replaced by newer, and kept when the flow is published', async () => {
    await save('first', 'INPUT', 1);
    await save('first', 'INPUT', 2);
    await operate('LOCK_AND_PUBLISH', {});
    expect((await read('first', 'INPUT')).body).toBe(2);
  });

  it('goes with its step, with an import and with its flow', async () => {
    await save('first', 'OUTPUT', 1);
    await save('second', 'OUTPUT', 2);
    await operate('DELETE_ACTION', { names: ['first'] });
    expect(await read('first', 'OUTPUT')).toMatchObject(none);
    expect((await read('second', 'OUTPUT')).body).toBe(2);

    await client.importFlow(flowId, 'Sampled', webhookTrigger([codeStep('second')]));
    expect(await read('second', 'OUTPUT')).toMatchObject(none);

    await client.must('DELETE', `/flows/${flowId}`);
    expect((await read('second', 'OUTPUT')).status).toBe(404);
  });

  it('is kept by an import that says so, for the steps whose names stay', async () => {
    await save('first', 'OUTPUT', 1);
    await save('second', 'OUTPUT', 2);
    const trigger = webhookTrigger([codeStep('second'), codeStep('third')]);
    await operate('IMPORT_FLOW', { displayName: 'Sampled', trigger, keepSampleData: true });
    expect((await read('second', 'OUTPUT')).body).toBe(2);
    expect(await read('first', 'OUTPUT')).toMatchObject(none);
    const flow = await client.must<{ version: { trigger: { nextAction: { settings: object } } } }>(
      'GET',
      `/flows/${flowId}`,
    );
    expect(flow.version.trigger.nextAction.settings).toHaveProperty('sampleData.outputSavedAt');
  });

  it('shows a VIEWER no link that answers a request, like the events of the trigger and the store', async () => {
    const link = 'https://flows.test/api/v1/flow-runs/r1/requests/secret/sync?action=approve';
    await save('first', 'OUTPUT', { link });
    await client.must('POST', `/webhooks/${flowId}/test`, { link });
    await client.must('POST', '/store-entries', { projectId: project, scope: 'PROJECT', key: 'k', value: { link } });
    const viewer = await client.must<{ value: string }>('POST', '/api-keys', {
      displayName: 'Viewer',
      projectId: project,
      role: 'VIEWER',
    });
    const shown = async (reader: ServiceClient) => [
      await reader.must('GET', `/sample-data?flowId=${flowId}&stepName=first&type=OUTPUT`),
      await reader.must('GET', `/sample-data?flowId=${flowId}`),
      await reader.must('GET', `/trigger-events?flowId=${flowId}`),
      await reader.must('GET', `/store-entries?projectId=${project}`),
    ];

    for (const each of await shown(client)) expect(JSON.stringify(each)).toContain('/requests/secret/');
    for (const each of await shown(client.withToken(viewer.value))) {
      expect(JSON.stringify(each)).toContain('/requests/**REDACTED**/');
      expect(JSON.stringify(each)).not.toContain('secret');
    }
  });

  it('of a flow of another project is unknown', async () => {
    await save('first', 'OUTPUT', 'private');
    const other = await client.createProject('Other');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const path = `/sample-data?flowId=${flowId}&stepName=first&type=OUTPUT`;
    const answer = await client.withToken(key.value).request('GET', path);
    expect(answer).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
  });

  describe('of all steps', () => {
    interface Listed {
      data: { stepName: string; type: string; savedAt: string; value?: unknown; cuts: unknown[] }[];
    }
    const list = async (more = '') =>
      (await client.must<Listed>('GET', `/sample-data?flowId=${flowId}${more}`)).data.map(({ savedAt, ...sample }) => {
        expect(new Date(savedAt).toISOString()).toBe(savedAt);
        return sample;
      });

    it('is listed, with the beginning of long values', async () => {
      expect(await list()).toEqual([]);
      await save('first', 'INPUT', null);
      await save('trigger', 'OUTPUT', { lines: Array.from({ length: 50 }, (_, i) => i) });
      const [input, output] = await list();
      expect(input).toEqual({ stepName: 'first', type: 'INPUT', value: null, cuts: [] });
      expect(output).toEqual({
        stepName: 'trigger',
        type: 'OUTPUT',
        value: { lines: Array.from({ length: 20 }, (_, i) => i) },
        cuts: [{ path: '/lines', type: 'list', count: 50 }],
      });
      expect(await list('&type=OUTPUT')).toEqual([output]);
    });

    it('of an unknown flow is not there', async () => {
      expect(await client.request('GET', `/sample-data?flowId=${project}`)).toMatchObject({
        status: 404,
        body: { params: { entityType: 'flow' } },
      });
    });
  });

  describe('from a run', () => {
    const DOUBLE = 'export const code = async ({ n }) => n * 2;';
    const take = (fromRunId: string, by = client) =>
      by.request<{ stepNames: string[]; missing: string[] }>('POST', `/flows/${flowId}/sample-data`, { fromRunId });
    const testRun = async (payload: unknown, ofFlow = flowId) => {
      const { id } = await client.must<{ id: string }>('POST', `/flows/${ofFlow}/test-run`, { payload });
      await client.endedRun(id);
      return id;
    };

    beforeEach(() =>
      client.importFlow(
        flowId,
        'Sampled',
        webhookTrigger([
          loop('each', '{{trigger.body.list}}', [codeStep('inner', { n: '{{each.item}}' }, DOUBLE)]),
          codeStep('last', { n: '{{each.index}}' }, DOUBLE),
        ]),
      ),
    );

    it('is taken for all steps that the draft has, those of a loop from its last iteration', async () => {
      const runId = await testRun({ body: { list: [3, 4] } });
      await operate('ADD_ACTION', {
        parentStep: 'last',
        stepLocationRelativeToParent: 'AFTER',
        action: codeStep('newer'),
      });
      await operate('DELETE_ACTION', { names: ['last'] });

      expect(await take(runId)).toMatchObject({
        status: 200,
        body: { stepNames: ['trigger', 'each', 'inner'], missing: ['newer'] },
      });
      expect((await read('trigger', 'OUTPUT')).body).toEqual({ body: { list: [3, 4] } });
      expect((await read('each', 'OUTPUT')).body).toMatchObject({ item: 4, index: 2 });
      expect((await read('inner', 'INPUT')).body).toEqual({ n: 4 });
      expect((await read('inner', 'OUTPUT')).body).toBe(8);
      expect(await read('last', 'OUTPUT')).toMatchObject(none);
    });

    it('is taken of large outputs too', async () => {
      const large = 'export const code = async () => ({ text: "x".repeat(2_000_000) });';
      await client.importFlow(flowId, 'Sampled', webhookTrigger([codeStep('large', {}, large)]));
      await take(await testRun({}));
      expect((await read('large', 'OUTPUT')).body).toEqual({ text: 'x'.repeat(2_000_000) });
    });

    it('never has the link of a request, which everybody who reads the flow could answer', async () => {
      const link = 'export const code = async () => "https://x/api/v1/flow-runs/1/requests/secret-id/sync";';
      await client.importFlow(flowId, 'Sampled', webhookTrigger([codeStep('asks', {}, link)]));
      await take(await testRun({}));
      expect((await read('asks', 'OUTPUT')).body).toBe('https://x/api/v1/flow-runs/1/requests/**REDACTED**/sync');
    });

    it('of another flow is refused, and so is whoever may not edit flows', async () => {
      const other = (await client.createFlow(project, 'Other')).id;
      await client.importFlow(other, 'Other', webhookTrigger([codeStep('first', {}, DOUBLE)]));
      const runId = await testRun({}, other);
      expect(await take(runId)).toMatchObject({
        status: 404,
        body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow_run', entityId: runId } },
      });
      const operator = { displayName: 'K', projectId: project, role: 'OPERATOR' };
      const { value } = await client.must<{ value: string }>('POST', '/api-keys', operator);
      expect(await take(runId, client.withToken(value))).toMatchObject({
        status: 403,
        body: { params: { permission: 'WRITE_FLOW' } },
      });
    });
  });
});
