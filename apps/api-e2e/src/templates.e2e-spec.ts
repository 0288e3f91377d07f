import type { PopulatedFlow, TemplateExport } from '@millrace/domain';
import { aFlowOfAllKinds, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

type TemplateAnswer = TemplateExport & { id: string };

describe('templates', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Templates');
  });

  const read = (id: string) => client.must<PopulatedFlow>('GET', `/flows/${id}`);
  const exportOf = (id: string) => client.must<TemplateExport>('GET', `/flows/${id}/template`);
  const importInto = (id: string, request: object) =>
    client.must<PopulatedFlow>('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });

  it('export a flow, and importing that gives the same flow', async () => {
    const { id } = await client.createFlow(project, 'Original');
    await client.importFlow(id, 'Original', aFlowOfAllKinds(60).trigger);
    await client.must('POST', `/flows/${id}`, { type: 'ADD_NOTE', request: { content: 'Mind this' } });
    await client.must('POST', `/flows/${id}`, {
      type: 'SAVE_SAMPLE_DATA',
      request: { stepName: 'trigger', type: 'OUTPUT', payload: { secret: 'sample-canary' } },
    });

    const exported = await exportOf(id);

    expect(exported).toEqual({
      name: 'Original',
      description: expect.any(String),
      template: {
        displayName: 'Original',
        trigger: expect.any(Object),
        schemaVersion: '20',
        notes: [expect.objectContaining({ content: 'Mind this' })],
      },
      created: expect.any(String),
    });
    expect(JSON.stringify(exported)).not.toContain('sample-canary');

    const copy = await client.createFlow(project, 'Copy');
    const imported = await importInto(copy.id, exported);
    const again = await exportOf(copy.id);
    expect(JSON.stringify(again.template)).toBe(JSON.stringify(exported.template));
    expect(imported.version.displayName).toBe('Original');
  });

  it('export the version asked for', async () => {
    const { id, version } = await client.publishFlow(project, 'Old', webhookTrigger([codeStep('a')]));
    await client.importFlow(id, 'New', webhookTrigger());
    const old = await client.must<TemplateExport>('GET', `/flows/${id}/template?versionId=${version.id}`);
    expect([old.name, (await exportOf(id)).name]).toEqual(['Old', 'New']);
  });

  it('are kept in a project, and new flows start from them', async () => {
    const { id } = await client.publishFlow(project, 'Source', webhookTrigger([codeStep('a')]));
    const made = await client.request<TemplateAnswer>('POST', '/templates', {
      projectId: project,
      name: 'Greeter',
      description: 'Says hello.',
      template: (await exportOf(id)).template,
    });
    expect(made).toMatchObject({ status: 201, body: { name: 'Greeter', description: 'Says hello.' } });
    const fromFlow = await client.must<TemplateAnswer>('POST', '/templates', { projectId: project, flowId: id });
    expect(fromFlow).toMatchObject({ name: 'Source', template: made.body.template });

    const page = await client.must<{ data: { id: string }[] }>('GET', `/templates?projectId=${project}`);
    expect(page.data.map((template) => template.id)).toEqual([fromFlow.id, made.body.id]);
    expect(page.data[0]).not.toHaveProperty('template');
    expect(await client.must('GET', `/templates/${made.body.id}`)).toEqual(made.body);

    const flow = await client.must<PopulatedFlow>('POST', '/flows', {
      displayName: 'From it',
      projectId: project,
      templateId: made.body.id,
    });
    const source = await read(id);
    expect(flow).toMatchObject({ templateId: made.body.id, status: 'DISABLED', publishedVersionId: null });
    expect(flow.version).toMatchObject({ displayName: 'From it', valid: true, trigger: source.version.trigger });

    expect((await client.request('DELETE', `/templates/${made.body.id}`)).status).toBe(204);
    const gone = await client.request('GET', `/templates/${made.body.id}`);
    expect(gone).toMatchObject({ status: 404, body: { params: { entityType: 'template' } } });
    expect((await read(flow.id)).templateId).toBe(made.body.id);
  });

  it('of another project are unknown', async () => {
    const { id } = await client.createFlow(project, 'Private');
    const template = await client.must<TemplateAnswer>('POST', '/templates', { projectId: project, flowId: id });
    const other = await client.createProject('Other');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const stranger = client.withToken(key.value);

    const unknown = { status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'template' } } };
    expect(await stranger.request('GET', `/templates/${template.id}`)).toMatchObject(unknown);
    expect(await stranger.request('DELETE', `/templates/${template.id}`)).toMatchObject(unknown);
    const body = { displayName: 'x', projectId: other, templateId: template.id };
    expect(await client.request('POST', '/flows', body)).toMatchObject(unknown);
  });
});
