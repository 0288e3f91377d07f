import { builtInStep, codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

const THROW = 'export const code = async ({ n }) => { if (n === 2) throw new Error("two"); return n; };';

/** The fields of every run, also in lists. */
const FIELDS = [
  ...['archivedAt', 'created', 'environment', 'failParentOnFailure', 'finishTime', 'flowId', 'flowVersion'],
  ...['flowVersionId', 'id', 'parentRunId', 'projectId', 'retryOfRunId', 'startTime', 'status', 'statusReason'],
  ...['stepsCount', 'tags', 'triggeredBy', 'triggeredByName', 'updated'],
];
const STEP_FIELDS = ['duration', 'input', 'output', 'startTime', 'status', 'type'];

describe('the fields of a run', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let succeeded: RunAnswer;
  let failed: RunAnswer;
  let waiting: RunAnswer;

  beforeAll(async () => {
    project = await client.createProject('Run fields');
    const runOf = async (...steps: Parameters<typeof webhookTrigger>[0] & object) => {
      const flow = await client.publishFlow(project, 'Fields', webhookTrigger(steps));
      return (await client.sendWebhook(flow.id, { n: 1 })).body.id;
    };
    const speaking = codeStep('speaks', {}, 'export const code = async () => { console.log("Hello."); };');
    succeeded = await ended(await runOf(codeStep('echo', { n: '{{trigger.body.n}}' }), speaking));
    failed = await ended(await runOf(loop('each', [1, 2, 3], [codeStep('inner', { n: '{{each.item}}' }, THROW)])));
    waiting = await client.pausedRun(await runOf(builtInStep('ask', 'approval', 'wait_for_approval')));
  });

  const ended = (runId: string) => client.runOnce(runId, ({ finishTime }) => finishTime !== null);
  const listed = async ({ id }: RunAnswer) => {
    const path = `/flow-runs?projectId=${project}&flowRunIds=${id}`;
    return (await client.must<{ data: RunAnswer[] }>('GET', path)).data[0] as RunAnswer;
  };

  it.each<[string, () => RunAnswer, string[]]>([
    ['succeeded', () => succeeded, []],
    ['failed', () => failed, ['failedStep']],
    ['waits', () => waiting, ['waitingOn']],
  ])('that %s are these in a list, and alone its steps and logs besides', async (_, run, more) => {
    const one = await client.must<RunAnswer>('GET', `/flow-runs/${run().id}`);
    const { steps, logsFileId, ...rest } = one;
    expect(Object.keys(rest).sort()).toEqual([...FIELDS, ...more].sort());
    expect(await listed(run())).toEqual(rest);
    expect([typeof steps, logsFileId]).toEqual(['object', run().id]);
  });

  it('say when it was accepted, begun and ended, and of which version it is', () => {
    const { created, startTime, finishTime, flowVersionId } = succeeded;
    expect([created, startTime ?? '', finishTime ?? ''].map((time) => new Date(time).toISOString())).toEqual(
      [created, startTime, finishTime].sort(),
    );
    expect(succeeded).toMatchObject({
      projectId: project,
      status: 'SUCCEEDED',
      flowVersion: { displayName: 'Fields' },
      flowVersionId: expect.any(String) as string,
      environment: 'PRODUCTION',
      tags: [],
      archivedAt: null,
      statusReason: null,
      retryOfRunId: null,
    });
    expect(flowVersionId).not.toBe(succeeded.flowId);
  });

  it('tell of each step what it is, was given, gave, and how it ended; of the trigger what it gave', () => {
    const { trigger, echo, speaks } = succeeded.steps ?? {};
    expect(Object.keys(trigger ?? {}).sort()).toEqual(['duration', 'output', 'type']);
    expect(Object.keys(echo ?? {}).sort()).toEqual(STEP_FIELDS);
    expect(Object.keys(speaks ?? {}).sort()).toEqual([...STEP_FIELDS, 'logs'].sort());
    expect(trigger).toMatchObject({ type: 'WEBHOOK', output: { body: { n: 1 } } });
    expect(echo).toMatchObject({ type: 'CODE', status: 'SUCCEEDED', input: { n: 1 }, output: { n: 1 } });
    expect(speaks?.logs).toEqual(['Hello.']);
    expect(succeeded.stepsCount).toBe(2);
  });

  it('say when each step began, and how long one waited', async () => {
    const delay = { unit: 'seconds', delayFor: 1 };
    const steps = [codeStep('echo'), builtInStep('nap', 'delay', 'delay_for', delay), codeStep('after')];
    const { id } = await client.publishFlow(project, 'Nap', webhookTrigger(steps));
    const run = await ended((await client.sendWebhook(id, {})).body.id);

    const begun = [run.startTime, ...['echo', 'nap', 'after'].map((name) => run.steps?.[name]?.startTime)];
    expect(begun).toEqual([...begun].sort());
    expect(run.steps?.['echo']).not.toHaveProperty('waited');
    expect(run.steps?.['nap']?.waited).toBeGreaterThan(0);
  });

  it('name the inner step where a loop failed', () => {
    expect(failed).toMatchObject({
      status: 'FAILED',
      stepsCount: 3,
      failedStep: { name: 'inner', displayName: 'inner', message: expect.stringContaining('two') as string },
      steps: { each: { type: 'LOOP_ON_ITEMS', status: 'FAILED', output: { item: 2, index: 2 } } },
    });
    const { iterations } = failed.steps?.['each']?.output as { iterations: Record<string, object>[] };
    expect(iterations).toMatchObject([{ inner: { status: 'SUCCEEDED' } }, { inner: { status: 'FAILED' } }]);
  });

  // `schedule` and `polling` are missing until pieces have such triggers, and QUOTA_EXCEEDED until something sets it.
  it('say who triggered it: a webhook, a person, a key, another run', async () => {
    const { adminEmail: email, adminPassword: password } = service;
    const person = await client.must<{ id: string; token: string }>('POST', '/authentication/sign-in', {
      email,
      password,
    });
    const key = await client.must<{ id: string; value: string }>('POST', '/api-keys', {
      displayName: 'Caller',
      projectId: project,
    });
    const start = async (token: string, headers = {}) =>
      (await client.withToken(token).request<RunAnswer>('POST', `/flows/${succeeded.flowId}/run`, {}, headers)).body;

    expect(succeeded).toMatchObject({ triggeredBy: 'webhook', triggeredByName: null });
    const byPerson = await start(person.token);
    expect(byPerson.triggeredBy).toBe(person.id);
    expect((await listed(byPerson)).triggeredByName).toMatch(/\w/);
    const byKey = await start(key.value);
    expect(byKey.triggeredBy).toBe(`api_key:${key.id}`);
    expect(await listed(byKey)).toMatchObject({ triggeredByName: 'Caller' });
    expect(await client.must('GET', `/flow-runs/${byKey.id}`)).toMatchObject({ triggeredByName: 'Caller' });
    expect(await start(key.value, { 'svc-parent-run-id': waiting.id })).toMatchObject({
      triggeredBy: 'subflow',
      parentRunId: waiting.id,
    });
  });

  it('find the runs that a run started, and those that retry it', async () => {
    const found = async (query: string) =>
      (await client.must<{ data: RunAnswer[] }>('GET', `/flow-runs?projectId=${project}&${query}`)).data;
    const count = async (query: string) =>
      (await client.must<{ count: number }>('GET', `/flow-runs/count?projectId=${project}&${query}`)).count;
    const headers = { 'svc-parent-run-id': waiting.id };
    const { body: child } = await client.request<RunAnswer>('POST', `/flows/${succeeded.flowId}/run`, {}, headers);
    const again = { projectId: project, strategy: 'ON_LATEST_VERSION' };
    const retry = await client.must<RunAnswer>('POST', `/flow-runs/${failed.id}/retry`, again);
    await ended(retry.id);

    const children = await found(`parentRunId=${waiting.id}`);
    expect(children[0]?.id).toBe(child.id);
    for (const { parentRunId } of children) expect(parentRunId).toBe(waiting.id);
    expect(await found(`retryOfRunId=${failed.id}`)).toMatchObject([{ id: retry.id, retryOfRunId: failed.id }]);
    expect(await count(`retryOfRunId=${failed.id}&status=FAILED`)).toBe(1);
    expect(await count(`parentRunId=${failed.id}`)).toBe(0);
    expect(await count('parentRunId=nope')).toBe(0);
    const archive = { projectId: project, retryOfRunId: failed.id, dryRun: true };
    expect(await client.must('POST', '/flow-runs/archive', archive)).toEqual({ archived: 1 });
  });
});
