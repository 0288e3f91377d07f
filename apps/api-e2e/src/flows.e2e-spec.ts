import type { PopulatedFlow } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

type FlowAnswer = Omit<PopulatedFlow, 'version'> & {
  version: { [field: string]: unknown; id: string; trigger: object };
};
interface ErrorAnswer {
  code: string;
  params: { [field: string]: unknown; problems?: { stepName: string; message: string }[] };
}

const working = webhookTrigger([codeStep('echo')]);
const broken = webhookTrigger([
  codeStep('broken', {}, 'export const code = async (inputs) => {\n  return inputs +;\n};'),
]);

describe('flows', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Flows');
  });

  const create = (body: object = {}) =>
    client.must<FlowAnswer>('POST', '/flows', { displayName: 'A flow', projectId: project, ...body });
  const operate = (id: string, type: string, request: object) =>
    client.request<FlowAnswer & ErrorAnswer>('POST', `/flows/${id}`, { type, request });
  const importing = (id: string, trigger: object, more: object = {}) =>
    operate(id, 'IMPORT_FLOW', { displayName: 'Imported', trigger, schemaVersion: '20', notes: [], ...more });
  const read = (id: string, query = '') => client.request<FlowAnswer & ErrorAnswer>('GET', `/flows/${id}${query}`);

  it('begin disabled, with exactly the fields of the interface', async () => {
    const answer = await client.request<FlowAnswer>('POST', '/flows', {
      displayName: 'New',
      projectId: project,
      metadata: { team: 'a', constructor: { name: 'b' } },
    });

    expect(answer.status).toBe(201);
    const { version, ...flow } = answer.body;
    expect(flow).toEqual({
      id: expect.any(String),
      projectId: project,
      externalId: flow.id,
      ownerId: expect.any(String),
      folderId: null,
      status: 'DISABLED',
      publishedVersionId: null,
      metadata: { team: 'a', constructor: { name: 'b' } },
      operationStatus: 'NONE',
      timeSavedPerRun: null,
      templateId: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: flow.created,
    });
    expect(version).toEqual({
      id: expect.any(String),
      flowId: flow.id,
      displayName: 'New',
      trigger: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
      valid: false,
      schemaVersion: '20',
      state: 'DRAFT',
      notes: [],
      created: flow.created,
      updated: flow.created,
      updatedBy: expect.stringMatching(/^api_key:/),
    });
    expect((await read(flow.id)).body).toEqual(answer.body);
  });

  it('are published, edited in a new draft, and published again, while locked versions stay as they were', async () => {
    const { id } = await create();
    expect((await importing(id, working)).body.version).toMatchObject({ valid: true, displayName: 'Imported' });

    const first = (await operate(id, 'LOCK_AND_PUBLISH', {})).body;
    expect(first).toMatchObject({
      status: 'ENABLED',
      publishedVersionId: first.version.id,
      version: { state: 'LOCKED' },
    });

    const edited = (await importing(id, webhookTrigger([]), { displayName: 'Second' })).body;
    expect(edited.version.id).not.toBe(first.version.id);
    expect(edited).toMatchObject({
      status: 'ENABLED',
      publishedVersionId: first.version.id,
      version: { state: 'DRAFT' },
    });

    const second = (await operate(id, 'LOCK_AND_PUBLISH', {})).body;
    expect(second.publishedVersionId).toBe(edited.version.id);
    expect((await read(id, `?versionId=${first.version.id}`)).body.version).toEqual(first.version);
  });

  it('are disabled and enabled again; to enable one never published is to publish it', async () => {
    const { id } = await create();
    await importing(id, working);
    const enabled = (await operate(id, 'CHANGE_STATUS', { status: 'ENABLED' })).body;
    expect(enabled).toMatchObject({ status: 'ENABLED', version: { state: 'LOCKED' } });

    expect((await operate(id, 'CHANGE_STATUS', { status: 'DISABLED' })).body.status).toBe('DISABLED');
    expect((await operate(id, 'CHANGE_STATUS', { status: 'DISABLED' })).status).toBe(200);
    expect((await operate(id, 'CHANGE_STATUS', { status: 'ENABLED' })).body).toMatchObject({
      status: 'ENABLED',
      publishedVersionId: enabled.publishedVersionId,
    });
  });

  it('are not published when code does not compile, and say at which line', async () => {
    const { id } = await create();
    expect((await importing(id, broken)).body.version).toMatchObject({ valid: false });

    const answer = await operate(id, 'LOCK_AND_PUBLISH', {});

    expect(answer).toMatchObject({ status: 409, body: { code: 'FLOW_VERSION_INVALID' } });
    expect(answer.body.params.problems).toEqual([{ stepName: 'broken', message: expect.stringContaining('Line 2') }]);
    expect((await read(id)).body).toMatchObject({ status: 'DISABLED', version: { state: 'DRAFT' } });
  });

  it('are neither published nor enabled with an empty trigger', async () => {
    const { id } = await create();
    expect((await operate(id, 'LOCK_AND_PUBLISH', {})).body.code).toBe('FLOW_VERSION_INVALID');
    expect((await operate(id, 'CHANGE_STATUS', { status: 'ENABLED' })).status).toBe(409);
  });

  it('take a thousand steps, and refuse an import as a whole', async () => {
    const steps = Array.from({ length: 999 }, (_, index) => codeStep(`step_${index}`));
    const { id } = await create();
    const large = await importing(id, webhookTrigger(steps));
    expect(large.status).toBe(200);

    const refused = await importing(id, webhookTrigger([codeStep('twice'), codeStep('twice')]));

    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect((await read(id)).body).toEqual(large.body);
  });

  it('cannot be changed by another principal within a minute', async () => {
    const { id, version } = await create();
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'Other', projectId: project });
    const other = client.withToken(key.value);

    const answer = await other.request<ErrorAnswer>('POST', `/flows/${id}`, {
      type: 'IMPORT_FLOW',
      request: { displayName: 'x', trigger: { type: 'EMPTY', settings: {} }, schemaVersion: '1', notes: [] },
    });

    expect(answer).toMatchObject({ status: 409, body: { code: 'FLOW_IN_USE', params: { flowVersionId: version.id } } });
  });

  it('are gone once deleted', async () => {
    const { id } = await create();
    expect(await client.request('DELETE', `/flows/${id}`)).toMatchObject({ status: 204, body: null });
    expect((await read(id)).body).toMatchObject({
      code: 'ENTITY_NOT_FOUND',
      params: { entityType: 'flow', entityId: id },
    });
    expect((await client.request('DELETE', `/flows/${id}`)).status).toBe(404);
  });

  it.each([
    ['no name', { displayName: undefined }, '/displayName'],
    ['a blank name', { displayName: '  ' }, '/displayName'],
    ['an operator object as name', { displayName: { $ne: null } }, '/displayName'],
    ['a list as project', { projectId: ['x'] }, '/projectId'],
    ['a list as metadata', { metadata: [1] }, '/metadata'],
    ['metadata over its limit', { metadata: { a: 'x'.repeat(20_000) } }, '/metadata'],
    ['an owner', { ownerId: 'x' }, '/ownerId'],
  ])('are refused with %s', async (_what, body, path) => {
    const answer = await client.request<ErrorAnswer>('POST', '/flows', {
      displayName: 'x',
      projectId: project,
      ...body,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(answer.body.params['errors']).toContainEqual(expect.objectContaining({ path }));
  });

  it.each(['nope', '-1', '__proto__', '%7B%7D', '00000000-0000-0000-0000-000000000000', "%27%20OR%20'1'='1"])(
    'are unknown under the id %s',
    async (id) =>
      expect((await read(id)).body).toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow' } }),
  );

  it('have no version of an unknown id', async () => {
    const { id } = await create();
    expect((await read(id, '?versionId=nope')).body).toMatchObject({ params: { entityType: 'flow_version' } });
    expect((await read(id, '?versionId=a&versionId=b')).status).toBe(400);
  });
});
