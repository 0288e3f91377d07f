import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface Evaluation {
  value?: unknown;
  isMissing?: boolean;
  cuts?: unknown[];
  message?: string;
  position?: number;
}

describe('the evaluation of expressions', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  beforeAll(async () => {
    project = await client.createProject('Evaluations');
    flowId = (await client.createFlow(project, 'Evaluated')).id;
    const steps = [codeStep('untested'), codeStep('step_1'), codeStep('later')];
    await client.importFlow(flowId, 'Evaluated', webhookTrigger(steps));
    await client.must('POST', `/flows/${flowId}`, {
      type: 'SAVE_SAMPLE_DATA',
      request: { stepName: 'trigger', type: 'OUTPUT', payload: { body: { name: 'Ada', lines: [{ price: 40 }] } } },
    });
    await client.must('POST', '/connections', {
      projectId: project,
      externalId: 'vault',
      displayName: 'Vault',
      type: 'SECRET_TEXT',
      value: { secret_text: 'evaluation-secret-5d1a' },
    });
  });

  const ask = (body: object, by = client) =>
    by.request<{ results: Evaluation[] }>('POST', `/flows/${flowId}/evaluate`, body);
  const evaluate = async (...expressions: string[]): Promise<Evaluation[]> => {
    const { status, body } = await ask({ stepName: 'step_1', expressions });
    expect(status).toBe(200);
    return body.results;
  };

  it('gives each text what a run would give it, on the sample data of the earlier steps', async () => {
    expect(
      await evaluate(
        'Hello {{trigger.body.name}}!',
        '{{ trigger.body.lines.map((line) => line.price * 2) }}',
        '{{trigger.body.nobody}}',
        '{{ new Date(0).toISOString() }}',
      ),
    ).toEqual([
      { value: 'Hello Ada!', isMissing: false, cuts: [] },
      { value: [80], isMissing: false, cuts: [] },
      { value: '', isMissing: true, cuts: [] },
      { value: '1970-01-01T00:00:00.000Z', isMissing: false, cuts: [] },
    ]);
  });

  it('says for each text why it has no value, and where', async () => {
    const texts = ['{{ trigger.body. }}', '{{ untested.a }}', '{{later}}', 'so {{ trigger.body.x.y + 1 }}'];
    const results = await evaluate(...texts);
    expect(results).toMatchObject([
      { message: 'Unexpected token.', position: 16 },
      { message: 'The step untested has no sample data yet.', position: 3 },
      { message: 'The step later does not come before this one.', position: 2 },
      { message: expect.stringMatching(/^TypeError: .*undefined$/), position: expect.any(Number) },
    ]);
    const { position = -1 } = results[3] ?? {};
    expect('trigger.body.x.y + 1').toContain(texts[3]?.slice(position, position + 2));
    expect(results.every((result) => !('value' in result))).toBe(true);
  });

  it('ends what runs on, and leaves the others their values', async () => {
    const [before, endless, large] = await evaluate(
      '{{ 1 + 1 }}',
      '{{ (() => { for (;;); })() }}',
      '{{ "x".repeat(2 ** 28) }}',
    );
    expect(before?.value).toBe(2);
    expect(endless?.message).toMatch(/CPU time limit|took longer/);
    expect(large?.message).toBeDefined();
    expect((await evaluate('{{ 1 + 2 }}'))[0]?.value).toBe(3);
  });

  it('reaches nothing but the language', async () => {
    const outside = ['process', 'require', 'fetch', 'setTimeout'].map((name) => `{{ typeof ${name} }}`);
    expect((await evaluate(...outside)).map(({ value }) => value)).toEqual(outside.map(() => 'undefined'));
  });

  it('never shows what a connection holds', async () => {
    const results = await evaluate(
      "{{connections['vault']}}",
      "Bearer {{ connections['vault'].toUpperCase() }}",
      "{{ [...connections.vault].join('-') }}",
      "{{ globalThis['connec' + 'tions'] }}",
      "{{connections['nope']}}",
    );
    expect(results.map(({ value, message }) => value ?? message)).toEqual([
      '**REDACTED**',
      'Bearer **REDACTED**',
      '**REDACTED**',
      '',
      'There is no connection "nope".',
    ]);
  });

  it('shows the beginning of a long value', async () => {
    expect(await evaluate('{{ Array.from({ length: 1000 }, (_, i) => i) }}')).toEqual([
      {
        value: Array.from({ length: 20 }, (_, i) => i),
        isMissing: false,
        cuts: [{ path: '', type: 'list', count: 1000 }],
      },
    ]);
  });

  it.each<[string, object, string]>([
    ['no step named', { expressions: [] }, '/stepName'],
    ['more than 50 texts', { stepName: 'step_1', expressions: Array(51).fill('') }, '/expressions'],
    ['a text that is too long', { stepName: 'step_1', expressions: ['x'.repeat(10_001)] }, '/expressions'],
    ['a text that is none', { stepName: 'step_1', expressions: [7] }, '/expressions'],
  ])('is refused with %s', async (_what, body, path) => {
    const refused = await client.request<{ params: { errors: { path: string }[] } }>(
      'POST',
      `/flows/${flowId}/evaluate`,
      body,
    );
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(refused.body.params.errors.map((error) => error.path)).toContain(path);
  });

  it('for a step that is not there does not fit the flow', async () => {
    expect(await ask({ stepName: 'nothing', expressions: [] })).toMatchObject({
      status: 400,
      body: { code: 'FLOW_OPERATION_INVALID' },
    });
  });

  it('needs the right to test a step, in the project of the flow', async () => {
    const keyOf = async (projectId: string, role: string) => {
      const made = { displayName: 'K', projectId, role };
      return client.withToken((await client.must<{ value: string }>('POST', '/api-keys', made)).value);
    };
    const asked = { stepName: 'step_1', expressions: ['{{trigger.body.name}}'] };
    expect(await ask(asked, await keyOf(project, 'VIEWER'))).toMatchObject({
      status: 403,
      body: { code: 'PERMISSION_DENIED', params: { permission: 'WRITE_RUN' } },
    });
    expect(await ask(asked, await keyOf(await client.createProject('Other'), 'ADMIN'))).toMatchObject({
      status: 404,
      body: { params: { entityType: 'flow', entityId: flowId } },
    });
  });
});
