import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

describe('sample data', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let flowId: string;

  beforeEach(async () => {
    flowId = (await client.createFlow(await client.createProject('Samples'), 'Sampled')).id;
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

  it('of a flow of another project is unknown', async () => {
    await save('first', 'OUTPUT', 'private');
    const other = await client.createProject('Other');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const path = `/sample-data?flowId=${flowId}&stepName=first&type=OUTPUT`;
    const answer = await client.withToken(key.value).request('GET', path);
    expect(answer).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
  });
});
