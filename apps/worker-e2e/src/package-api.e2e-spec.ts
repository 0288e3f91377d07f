import type { FlowAction, FlowTrigger } from '@millrace/domain';
import { builtInStep, builtInTrigger, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, patience, registryHas, type RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { renamedPackage } from './testing/renamed-package';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const PIECE = '@e2e/piece-api';
const WITHIN_MS = 60_000 * patience;

/** Actions that use our API in the ways that their context gives them. */
const SOURCE = `
const prop = (type) => ({ type, displayName: type, required: false });
const action = (name, props, run) => ({ name, displayName: name, description: '', requireAuth: false, props, run });
const read = async (url, init) => {
  try {
    const answer = await fetch(url, init);
    return { status: answer.status, body: await answer.json().catch(() => null) };
  } catch (error) {
    return { refused: String(error.cause ? error.cause.message : error.message) };
  }
};
const actions = {
  context: action('context', { externalIds: prop('JSON') }, async ({ propsValue, flows, project, step, server, run }) => ({
    page: await flows.list(propsValue.externalIds ? { externalIds: propsValue.externalIds } : undefined),
    current: flows.current, projectId: project.id, step, externalId: (await project.externalId()) || null,
    apiUrl: server.apiUrl, publicUrl: server.publicUrl, runId: run.id })),
  call: action('call', { flow: prop('SHORT_TEXT'), body: prop('JSON') }, async ({ propsValue: { flow, body }, server, run }) =>
    read(server.apiUrl + 'v1/webhooks/' + flow, { method: 'POST', body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'ap-parent-run-id': run.id, 'ap-fail-parent-on-failure': 'true' } })),
  give: action('give', { url: prop('SHORT_TEXT') }, async ({ propsValue: { url }, server }) =>
    read(url, { method: 'POST', body: server.token })),
  read: action('read', { urls: prop('JSON') }, async ({ propsValue: { urls }, server }) =>
    Promise.all(urls.map((url) => read(url, { headers: { authorization: 'Bearer ' + server.token } })))),
};
exports.api = {
  metadata: () => ({ displayName: 'Api', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

const CALLABLE: FlowTrigger = {
  ...builtInTrigger('subflows', 'callable_flow'),
  nextAction: builtInStep('answer', 'subflows', 'return_response', { response: { got: '{{ trigger }}' } }),
};

describe('our API, as the packages of a project reach it', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start();
    await installPackage(targets.service.client, PIECE, SOURCE);
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const client = () => targets.service.client;
  const act = (actionName: string, input: Record<string, unknown> = {}, pieceName = PIECE, pieceVersion = '1.0.0') => {
    const step = pieceStep('act', input);
    return { ...step, settings: { ...step.settings, pieceName, pieceVersion, actionName } };
  };
  const outputOf = async (...steps: FlowAction[]): Promise<unknown> => {
    const run = await targets.run(steps);
    expect([run.status, run.failedStep]).toEqual(['SUCCEEDED', undefined]);
    return run.steps?.['act']?.output;
  };
  const childOf = (parentId: string, flowId: string): Promise<RunAnswer> =>
    until('The child', async () => {
      const path = `/flow-runs?projectId=${targets.project}&flowId=${flowId}&limit=100`;
      const { data } = await client().must<{ data: { id: string; parentRunId?: string }[] }>('GET', path);
      const found = data.find(({ parentRunId }) => parentRunId === parentId);
      return found && client().endedRun(found.id, WITHIN_MS);
    });

  it('is named in their context, with the flow, its version and the flows of the project', async () => {
    const { id: callee } = await client().publishFlow(targets.project, 'Callee', CALLABLE);
    const trigger = webhookTrigger([act('context', { externalIds: [callee, 'nobody'] })]);
    const { id: flowId } = await client().publishFlow(targets.project, 'Caller', trigger);
    const run = await client().endedRun((await client().sendWebhook(flowId, {})).body.id, WITHIN_MS);
    const flow = await client().must<{ publishedVersionId: string }>('GET', `/flows/${flowId}`);

    const settings = { pieceName: '@activepieces/piece-subflows', triggerName: 'callable_flow' };
    expect(run.steps?.['act']?.output).toMatchObject({
      page: {
        data: [
          {
            ...{ id: callee, externalId: callee, status: 'ENABLED' },
            version: { displayName: 'Callee', state: 'LOCKED', trigger: { type: 'PIECE_TRIGGER', settings } },
          },
        ],
        next: null,
        previous: null,
      },
      current: { id: flowId, version: { id: flow.publishedVersionId } },
      ...{ projectId: targets.project, step: { name: 'act' }, runId: run.id },
      ...{ apiUrl: 'http://api.millrace.internal/api/', publicUrl: `${client().baseUrl}/api/` },
    });
  });

  it('starts a flow of the project under the run of the call', async () => {
    const { id: callee } = await client().publishFlow(targets.project, 'Callee', CALLABLE);
    const runId = await targets.start([act('call', { flow: callee, body: { a: 1 } })]);
    const run = await client().endedRun(runId, WITHIN_MS);
    const child = await childOf(runId, callee);

    expect(run.steps?.['act']?.output).toEqual({ status: 200, body: { id: child.id } });
    expect(child.steps?.['trigger']?.output).toEqual({ a: 1 });
    expect(child).toMatchObject({ status: 'SUCCEEDED', failParentOnFailure: true });
  });

  it('has nothing of another project', async () => {
    const other = await client().createProject('Other');
    const { id: foreign } = await client().publishFlow(other, 'Foreign', CALLABLE);

    expect(await outputOf(act('call', { flow: foreign, body: {} }))).toMatchObject({ status: 404 });
    expect(await outputOf(act('context', { externalIds: [foreign] }))).toMatchObject({ page: { data: [] } });
    const listed = JSON.stringify(await outputOf(act('context')));
    expect(listed).not.toContain(foreign);
  });

  it('shows flows and runs of the project alone, by the token', async () => {
    const other = await client().createProject('Unseen');
    const { id: foreign } = await client().publishFlow(other, 'Foreign', CALLABLE);
    const { id: own } = await client().publishFlow(targets.project, 'Own', CALLABLE);
    const api = 'http://api.millrace.internal/api/v1';
    const urls = [
      ...[
        `${api}/flows/${own}`,
        `${api}/flows?projectId=${targets.project}&limit=100`,
        `${api}/flow-runs?projectId=${targets.project}`,
      ],
      ...[`${api}/flows/${foreign}`, `${api}/flows?projectId=${other}`, `${api}/flow-runs?projectId=${other}`],
    ];

    const answers = (await outputOf(act('read', { urls }))) as { status: number; body: unknown }[];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 403, 403]);
    expect(answers[0]?.body).toMatchObject({ id: own, version: { displayName: 'Own' } });
    expect(JSON.stringify(answers[1])).toContain(own);
    expect(JSON.stringify(answers.slice(0, 3))).not.toContain(foreign);
  });

  it('gives a token that opens nothing elsewhere, during the call and after it', async () => {
    const tried: number[] = [];
    const tokens: string[] = [];
    const tryToken = async (token: string): Promise<number> =>
      (await client().withToken(token).request('GET', `/flows?projectId=${targets.project}`)).status;
    server.on('/token', (answer, { body }) => {
      tokens.push(body);
      void tryToken(body).then((status) => answerJson(answer, { status: tried.push(status) }));
    });

    await outputOf(act('give', { url: `${server.baseUrl}/token` }));

    expect(tokens[0]).toMatch(/^[\w-]{43}$/);
    expect(tried).toEqual([401]);
    expect(await tryToken(tokens[0] ?? '')).toBe(401);
  });

  it('is nowhere but at its name and port', async () => {
    const urls = [
      'http://api.millrace.internal:5432/',
      'https://api.millrace.internal/',
      'http://x.api.millrace.internal/',
      'http://api.millrace.internal/metrics',
      'http://api.millrace.internal/api/v1/worker-machines',
      'http://api.millrace.internal/api/v1/connections',
      'http://api.millrace.internal/api/v1/../../admin/queues',
    ];

    const answers = (await outputOf(act('read', { urls }))) as { status?: number; refused?: string }[];

    expect(answers.slice(0, 3).every(({ refused }) => refused !== undefined)).toBe(true);
    expect(answers.slice(3).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  const wherePublished = registryHas('@activepieces/piece-subflows', '0.6.3') ? it : it.skip;

  wherePublished('lets a published package call a flow and wait for its answer', async () => {
    const name = '@e2e/piece-published-subflows';
    const archive = await renamedPackage('@activepieces/piece-subflows@0.6.3', name);
    const header = { 'content-type': 'application/gzip' };
    expect((await client().request('POST', '/pieces/archives', archive, header)).status).toBe(201);
    const { id: callee } = await client().publishFlow(targets.project, 'Answers', {
      ...builtInTrigger('subflows', 'callable_flow'),
      nextAction: builtInStep('answer', 'http', 'send_request', {
        ...{ method: 'POST', url: '{{ trigger.callbackUrl }}', bodyType: 'json' },
        body: { status: 'success', data: { doubled: '{{ trigger.data.n * 2 }}' } },
      }),
    });
    const input = { flowId: callee, mode: 'simple', flowProps: { payload: { n: 21 } }, waitForResponse: true };

    expect(await outputOf(act('callFlow', input, name, '0.6.3'))).toEqual({
      status: 'success',
      data: { doubled: 42 },
    });
  });
});
