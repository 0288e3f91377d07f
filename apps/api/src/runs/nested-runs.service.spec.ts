import {
  EntityNotFoundError,
  type FlowRunRepository,
  type FlowRunStatus,
  type FlowVersionReader,
  type NewRun,
  type Principal,
  type PublishedFlow,
} from '@millrace/domain';
import { anId, aPrincipal } from '@millrace/domain/testing';
import { NestedRunsService } from './nested-runs.service';

const [projectId, flowId, versionId, parentId] = [anId(), anId(), anId(), anId()];
const principal: Principal = {
  ...aPrincipal({ [projectId]: 'OPERATOR' }),
  kind: 'api_key',
  apiKeyId: 'k',
  expiresAt: null,
};

describe('NestedRunsService', () => {
  let flow: PublishedFlow | null;
  let parent: { projectId: string; status: FlowRunStatus; depth: number };
  let accepted: NewRun[];
  let service: NestedRunsService;

  beforeEach(() => {
    flow = { flowId, projectId, status: 'ENABLED', publishedVersionId: versionId };
    parent = { projectId, status: 'RUNNING', depth: 0 };
    accepted = [];
    const runs = {
      get: (runId: string) => Promise.resolve({ id: runId }),
      getParent: (runId: string, projectIds: readonly string[]) =>
        runId === parentId && projectIds.includes(parent.projectId)
          ? Promise.resolve({ run: { id: runId, ...parent }, depth: parent.depth })
          : Promise.reject(new EntityNotFoundError('flow_run', runId)),
    };
    const accept = (run: NewRun) => {
      accepted.push(run);
      return Promise.resolve({ runId: run.id, replayed: false });
    };
    service = new NestedRunsService(
      { findPublished: () => Promise.resolve(flow) } as unknown as FlowVersionReader,
      runs as unknown as FlowRunRepository,
      { accept },
    );
  });

  const start = (headers: Record<string, string> = {}, body: unknown = {}) =>
    service.start(principal, flowId, headers, body);
  const child = (more: Record<string, string> = {}) => start({ 'svc-parent-run-id': parentId, ...more });

  it('runs the published version in the name of who calls', async () => {
    const run = await start();
    expect(accepted).toEqual([
      {
        id: run.id,
        projectId,
        flowId,
        flowVersionId: versionId,
        environment: 'PRODUCTION',
        triggeredBy: 'api_key:k',
        triggerType: 'MANUAL',
        idempotencyKey: null,
        payload: '{}',
      },
    ]);
  });

  it('runs it for the run that asks', async () => {
    await child({ 'svc-fail-parent-on-failure': 'true' });
    expect(accepted[0]).toMatchObject({
      triggeredBy: 'subflow',
      triggerType: 'SUBFLOW',
      environment: 'PRODUCTION',
      parent: { runId: parentId, failOnFailure: true, depth: 1 },
    });
  });

  it('spares the parent unless told otherwise', async () => {
    await child();
    await child({ 'svc-fail-parent-on-failure': 'false' });
    expect(accepted.map((run) => run.parent?.failOnFailure)).toEqual([false, false]);
  });

  it('asks for a parent that is paused too', async () => {
    parent.status = 'PAUSED';
    await child();
    expect(accepted).toHaveLength(1);
  });

  it.each<[unknown, string]>([
    [undefined, '{}'],
    [null, 'null'],
    [0, '0'],
    [false, 'false'],
    ['', '""'],
    ['a\u0000', '"a\ufffd"'],
    [[1, null], '[1,null]'],
    [{ b: 1, a: { __proto__: null } }, '{"b":1,"a":{}}'],
  ])('gives the trigger the body %j', async (body, payload) => {
    await service.start(principal, flowId, {}, body);
    expect(accepted[0]?.payload).toBe(payload);
  });

  it.each<[string, Record<string, string>, string]>([
    ['no id', { 'svc-parent-run-id': 'nope' }, '/svc-parent-run-id'],
    ['an empty id', { 'svc-parent-run-id': '' }, '/svc-parent-run-id'],
    ['two ids', { 'svc-parent-run-id': `${parentId}, ${parentId}` }, '/svc-parent-run-id'],
    ['an unknown run', { 'svc-parent-run-id': anId() }, '/svc-parent-run-id'],
    ['a flag that is none', { 'svc-fail-parent-on-failure': 'yes' }, '/svc-fail-parent-on-failure'],
    [
      'an empty flag',
      { 'svc-parent-run-id': parentId, 'svc-fail-parent-on-failure': '' },
      '/svc-fail-parent-on-failure',
    ],
  ])('refuses headers with %s', async (_, headers, path) => {
    await expect(start(headers)).rejects.toMatchObject({ code: 'VALIDATION', params: { errors: [{ path }] } });
    expect(accepted).toEqual([]);
  });

  it.each<[string, Partial<typeof parent>, string]>([
    ['is of another project', { projectId: anId() }, 'names no run'],
    ['has succeeded', { status: 'SUCCEEDED' }, 'which has ended'],
    ['was stopped', { status: 'STOPPED' }, 'which has ended'],
    ['is itself ten runs deep', { depth: 10 }, 'at most 10'],
  ])('refuses a parent that %s', async (_, more, message) => {
    parent = { ...parent, ...more };
    await expect(child()).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining(message) as string,
    });
    expect(accepted).toEqual([]);
  });

  it('allows ten runs above one', async () => {
    parent.depth = 9;
    await child();
    expect(accepted[0]?.parent?.depth).toBe(10);
  });

  it.each<[string, Partial<PublishedFlow>]>([
    ['disabled', { status: 'DISABLED' }],
    ['never published', { publishedVersionId: null }],
  ])('does not run a flow that is %s', async (_, more) => {
    flow = { ...(flow as PublishedFlow), ...more };
    for (const attempt of [start, child])
      await expect(attempt()).rejects.toMatchObject({ code: 'FLOW_DISABLED', statusCode: 409 });
    expect(accepted).toEqual([]);
  });

  it('knows neither a foreign flow nor one that is not there', async () => {
    const unknown = { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: flowId } };
    flow = { ...(flow as PublishedFlow), projectId: anId() };
    await expect(start()).rejects.toMatchObject(unknown);
    flow = null;
    await expect(start()).rejects.toMatchObject(unknown);
  });
});
