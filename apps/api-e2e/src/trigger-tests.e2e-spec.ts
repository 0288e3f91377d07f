import { builtInTrigger, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface TriggerTest {
  items: unknown[];
  message: string | null;
}
interface Events {
  data: { id: string; flowId: string; payload: { body?: unknown }; created: string }[];
  next: string | null;
}

describe('a test of a trigger', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let projectId: string;
  let flowId: string;

  beforeAll(async () => {
    projectId = await client.createProject('Trigger tests');
  });
  beforeEach(async () => {
    flowId = (await client.createFlow(projectId, 'Tested')).id;
  });

  const test = () => client.request<TriggerTest>('POST', '/test-trigger', { flowId });
  const events = (query = '') => client.must<Events>('GET', `/trigger-events?flowId=${flowId}${query}`);

  it('says where to send a request, and then has the last one', async () => {
    await client.importFlow(flowId, 'Webhook', webhookTrigger());

    const before = await test();
    expect(before).toMatchObject({ status: 200, body: { items: [] } });
    expect(before.body.message).toContain(`/api/v1/webhooks/${flowId}/test`);
    for (const n of [1, 2]) await client.must('POST', `/webhooks/${flowId}/test`, { n });

    expect((await test()).body).toMatchObject({ items: [{ body: { n: 2 } }], message: null });
    const listed = await events();
    expect(listed.data.map(({ payload }) => payload.body)).toEqual([{ n: 2 }, { n: 1 }]);
    expect(listed.data[0]).toMatchObject({ flowId, created: expect.any(String) });
  });

  it('lists events in pages', async () => {
    await client.importFlow(flowId, 'Webhook', webhookTrigger());
    for (const n of [1, 2, 3]) await client.must('POST', `/webhooks/${flowId}/test`, { n });

    const first = await events('&limit=2');
    const second = await events(`&limit=2&cursor=${first.next}`);

    expect([...first.data, ...second.data].map(({ payload }) => payload.body)).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }]);
    expect(second.next).toBeNull();
  });

  it('has the output of a schedule that is due now', async () => {
    const trigger = builtInTrigger('schedule', 'every_hour');
    await client.importFlow(flowId, 'Schedule', trigger);

    const { body } = await test();

    expect(body).toMatchObject({ items: [{ scheduledFor: expect.any(String), timezone: expect.any(String) }] });
    expect((await events()).data.map(({ payload }) => payload)).toEqual(body.items);
  });

  it('answers what a source that fails has said, and leaves no sample', async () => {
    const url = `${service.baseUrl}/api/v1/nowhere`;
    await client.importFlow(flowId, 'Poll', builtInTrigger('polling', 'new_item_in_json', [], { url }));

    const failed = await test();

    expect(failed).toMatchObject({
      status: 422,
      body: { statusCode: 422, code: 'TRIGGER_TEST_FAILED', params: { stepName: 'trigger' } },
    });
    expect((await events()).data).toEqual([]);
  });

  it('is refused for a flow without a trigger, for an unknown flow and for a flow of another project', async () => {
    expect(await test()).toMatchObject({ status: 400, body: { code: 'FLOW_OPERATION_INVALID' } });
    const other = await client.createProject('Other');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const stranger = client.withToken(key.value);

    expect(await stranger.request('POST', '/test-trigger', { flowId })).toMatchObject({ status: 404 });
    expect(await stranger.request('GET', `/trigger-events?flowId=${flowId}`)).toMatchObject({ status: 404 });
  });
});
