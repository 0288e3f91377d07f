import type { FlowAction } from '@millrace/domain';
import { branch, builtInStep, codeStep, loop, router } from '@millrace/domain/testing';
import { patience, ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { WatchedRuns } from './testing/watched-runs';

const ALWAYS = [[{ operator: 'EXISTS' as const, firstValue: 'x' }]];
/** The step sleeps so long that the steps before it are on record while the run continues. */
const SLEEP = 'export const code = async () => { await sleep(2_500); };';
/** A timer fires within two seconds of its moment; the rest is for a busy machine. */
const LATE_MS = 5_000 * patience;
const SHOWN_OF_STEPS = ['duration', 'input', 'output', 'startTime', 'status', 'type'];

const waitForApproval = (name: string) => builtInStep(name, 'approval', 'wait_for_approval');
const createLinks = (name: string) => builtInStep(name, 'approval', 'create_approval_links');
const delayFor = (name: string, seconds: unknown) =>
  builtInStep(name, 'delay', 'delay_for', { unit: 'seconds', delayFor: seconds });
const delayUntil = (name: string, moment: unknown) =>
  builtInStep(name, 'delay', 'delay_until', { delayUntilTimestamp: moment });
const allOf = (name: string, ...branches: FlowAction[][]) =>
  router(
    name,
    branches.map((steps, index) => branch(`Branch ${index}`, ALWAYS, steps)),
    { executionType: 'EXECUTE_ALL_MATCH' },
  );

const linkOf = ({ steps }: RunAnswer, step: string) =>
  (steps?.[step]?.output as { approvalLink: string } | undefined)?.approvalLink ?? '';
const resumedAt = ({ steps }: RunAnswer, step: string) =>
  Date.parse((steps?.[step]?.output as { resumedAt: string }).resumedAt);
const commentOf = (steps: RunAnswer['steps'], step: string) =>
  (steps?.[step]?.output as { comment?: string } | undefined)?.comment;

describe('a run that waits', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let runs: WatchedRuns;
  let callee: string;

  beforeAll(async () => {
    runs = await WatchedRuns.inNewProject(client, 'Waiting');
    callee = await runs.publish([waitForApproval('ask')], 'Callee');
  });

  describe('for a moment', () => {
    it('is PAUSED until delay_for is over, and goes on by itself', async () => {
      const runId = await runs.start([delayFor('nap', 2), codeStep('after')]);

      const { waitingOn, steps } = await runs.paused(runId);
      const [since, until] = [Date.parse(waitingOn?.since ?? ''), Date.parse(waitingOn?.until ?? '')];
      expect(waitingOn?.kind).toBe('timer');
      expect(until - since).toBeLessThan(2_500); // the clocks of worker and database differ a little
      expect(until - since).toBeGreaterThan(0);
      expect(steps).not.toHaveProperty('after');

      const ended = await runs.ended(runId);
      expect(ended).toMatchObject({ status: 'SUCCEEDED', stepsCount: 2, steps: { nap: { status: 'SUCCEEDED' } } });
      expect(resumedAt(ended, 'nap')).toBeGreaterThanOrEqual(until);
      expect(resumedAt(ended, 'nap')).toBeLessThan(until + LATE_MS);
    });

    it('is PAUSED until the moment of delay_until', async () => {
      const until = Date.now() + 1_500;
      const runId = await runs.start([delayUntil('nap', '{{trigger.body.at}}')], { at: new Date(until).toISOString() });

      expect((await runs.paused(runId)).waitingOn).toMatchObject({
        kind: 'timer',
        until: new Date(until).toISOString(),
      });
      expect(resumedAt(await runs.ended(runId), 'nap')).toBeGreaterThanOrEqual(until);
    });

    it('does not wait for a moment that has passed', async () => {
      const ended = await runs.ended(await runs.start([delayUntil('nap', '2001-01-01T00:00:00.000Z')]));
      expect(ended.status).toBe('SUCCEEDED');
      expect(resumedAt(ended, 'nap')).toBeGreaterThanOrEqual(Date.parse(ended.startTime ?? ''));
    });

    it('fails when that is more than 30 days away', async () => {
      const ended = await runs.ended(await runs.start([delayFor('nap', '{{ 31 * 24 * 3600 }}')]));
      expect(ended).toMatchObject({
        status: 'FAILED',
        failedStep: { name: 'nap', message: 'A delay has at most 30 days.' },
      });
    });
  });

  it.each<[string, () => FlowAction, object]>([
    ['timer', () => delayFor('wait', 600), { until: expect.any(String) as string }],
    ['human', () => waitForApproval('wait'), { requestId: expect.stringMatching(/^[\w-]{22}$/) as string }],
    ['child', () => builtInStep('wait', 'subflows', 'call_flow', { flowId: callee, waitForResponse: true }), {}],
  ])('says in lists and alone that it waits for a %s, and shows its step as PAUSED', async (kind, step, more) => {
    const runId = await runs.start([codeStep('before'), step(), codeStep('after')]);

    const paused = await runs.paused(runId);

    expect(paused).toMatchObject({ finishTime: null, stepsCount: 2, statusReason: null });
    expect(paused.waitingOn).toMatchObject({ kind, since: expect.any(String) as string, ...more });
    if (kind !== 'human') expect(paused.waitingOn).not.toHaveProperty('requestId');
    expect(Date.parse(paused.startTime ?? '')).toBeLessThanOrEqual(Date.parse(paused.waitingOn?.since ?? ''));
    expect((await runs.listed(`&flowRunIds=${runId}`)).map(({ waitingOn }) => waitingOn)).toEqual([paused.waitingOn]);
    expect(Object.keys(paused.steps ?? {})).toEqual(['trigger', 'before', 'wait']);
    expect(paused.steps?.['wait']).toMatchObject({ type: 'ACTION', status: 'PAUSED', output: null });
    for (const name of ['before', 'wait'])
      expect(Object.keys(paused.steps?.[name] ?? {}).sort()).toEqual(SHOWN_OF_STEPS);
    expect(await runs.cancel(runId)).toBe(kind === 'child' ? 2 : 1);
    expect(await runs.ended(runId)).not.toHaveProperty('waitingOn');
  });

  it('is not retried before it has ended', async () => {
    const { id } = await runs.paused(await runs.start([waitForApproval('ask')]));
    const retry = { strategy: 'FROM_FAILED_STEP', projectId: runs.project };
    expect(await client.request('POST', `/flow-runs/${id}/retry`, retry)).toMatchObject({
      status: 409,
      body: { code: 'FLOW_RUN_NOT_RETRYABLE', params: { flowRunId: id, status: 'PAUSED' } },
    });
  });

  describe('in branches of an all-match router', () => {
    const asks = (name: string) => [createLinks(`links_${name}`), waitForApproval(name), codeStep(`after_${name}`)];

    it.each([
      ['first', 'second'],
      ['second', 'first'],
    ])('is resumed in the %s by its own request while the %s waits on', async (sooner, later) => {
      const runId = await runs.start([allOf('both', asks('first'), asks('second')), codeStep('end')]);
      const paused = await runs.paused(runId);
      expect(paused.steps).toMatchObject({ first: { status: 'PAUSED' }, second: { status: 'PAUSED' } });

      expect((await runs.follow(linkOf(paused, `links_${sooner}`), { comment: 'I am' })).status).toBe(200);
      const between = await runs.once(
        runId,
        ({ status, steps }) => status === 'PAUSED' && steps?.[sooner]?.status === 'SUCCEEDED',
      );
      expect(commentOf(between.steps, sooner)).toBe('I am');
      expect(between.steps).toMatchObject({ [later]: { status: 'PAUSED' }, [`after_${sooner}`]: {} });
      expect(between.steps).not.toHaveProperty('end');

      await runs.follow(linkOf(paused, `links_${later}`), { comment: 'so am I' });
      const ended = await runs.ended(runId);
      expect(ended).toMatchObject({ status: 'SUCCEEDED', stepsCount: 8 });
      expect([sooner, later].map((name) => commentOf(ended.steps, name))).toEqual(['I am', 'so am I']);
    });

    it('fails with a branch that fails, and then takes no answer', async () => {
      const broken = codeStep('broken', {}, 'export const code = async () => { throw new Error("no"); };');
      const runId = await runs.start([allOf('both', asks('first'), [delayFor('nap', 1), broken])]);
      const paused = await runs.paused(runId);

      expect(await runs.ended(runId)).toMatchObject({ status: 'FAILED', failedStep: { name: 'broken' } });
      expect(await runs.follow(linkOf(paused, 'links_first'))).toMatchObject({
        status: 409,
        body: { code: 'FLOW_RUN_NOT_PAUSED', params: { flowRunId: runId, status: 'FAILED' } },
      });
    });
  });

  it('in a loop waits once for each item, under another request each time', async () => {
    const asking = loop('each', '{{trigger.body.items}}', [waitForApproval('ask'), codeStep('after')]);
    const runId = await runs.start([asking], { items: ['a', 'b', 'c'] });
    const seen: string[] = [];
    for (const item of ['a', 'b', 'c']) {
      const isNext = ({ status, waitingOn }: RunAnswer) =>
        status === 'PAUSED' && !seen.includes(waitingOn?.requestId ?? '');
      const paused = await runs.once(runId, isNext);
      expect(paused.steps?.['each']?.output).toMatchObject({ item, index: seen.length + 1 });
      seen.push(paused.waitingOn?.requestId ?? '');
      expect((await runs.answer(paused, { approved: true, comment: item })).status).toBe(200);
    }

    const ended = await runs.ended(runId);
    expect(ended).toMatchObject({ status: 'SUCCEEDED', stepsCount: 1 + 3 * 2 });
    const { iterations } = ended.steps?.['each']?.output as { iterations: RunAnswer['steps'][] };
    expect(iterations.map((steps) => commentOf(steps, 'ask'))).toEqual(['a', 'b', 'c']);
    expect(new Set(seen).size).toBe(3);
  });

  it('keeps an answer that comes by a link before it waits, the first of many', async () => {
    const runId = await runs.start([createLinks('links'), codeStep('slow', {}, SLEEP), waitForApproval('ask')]);
    const early = await runs.once(runId, ({ steps }) => steps?.['links'] !== undefined);
    expect(early).toMatchObject({ status: 'RUNNING', waitingOn: { kind: 'worker' } });
    expect(early.steps).not.toHaveProperty('ask');
    const link = linkOf(early, 'links');

    const page = await fetch(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const comments = Array.from({ length: 10 }, (_, index) => `I am number ${index}`);
    const answers = await Promise.all(comments.map((comment) => runs.follow(link, { comment })));

    const winners = comments.filter((_, index) => answers[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    const ended = await runs.ended(runId);
    expect(ended).toMatchObject({ status: 'SUCCEEDED', stepsCount: 3 });
    expect(ended.steps?.['ask']?.output).toEqual({ approved: true, comment: winners[0] });
  });

  describe('after it has responded', () => {
    const respondAndWait = builtInStep('respond', 'webhook', 'respond_and_wait', {
      responseType: 'json',
      fields: { status: 202, body: { question: 'How many?' } },
    });

    it('goes on with a request to the URL that it responded', async () => {
      const flowId = await runs.publish([respondAndWait, codeStep('after', { n: '{{respond.body.n}}' })]);
      const asReached = service.baseUrl.replace('127.0.0.1', 'localhost');
      const answer = await fetch(`${asReached}/api/v1/webhooks/${flowId}/sync`, { method: 'POST' });
      expect([answer.status, await answer.json()]).toEqual([202, { question: 'How many?' }]);
      const url = answer.headers.get('x-millrace-resume-url') ?? '';
      const runId = answer.headers.get('x-webhook-id') ?? '';
      expect(url).toMatch(`${asReached}/api/v1/flow-runs/${runId}/requests/`);
      const paused = await runs.paused(runId);
      expect(url).toContain(paused.waitingOn?.requestId);

      expect((await fetch(url)).status).toBe(200);
      expect((await runs.read(runId)).status).toBe('PAUSED');
      expect((await runs.follow(`${url}?more=yes`, { n: 5 })).status).toBe(200);
      const ended = await runs.ended(runId);
      expect(ended).toMatchObject({ status: 'SUCCEEDED', stepsCount: 2 });
      expect(ended.steps?.['respond']?.output).toMatchObject({
        body: { n: 5 },
        queryParams: { more: 'yes' },
        headers: { 'content-type': 'application/json' },
      });
      expect(ended.steps?.['after']?.output).toEqual({ n: 5 });
    });
  });

  it('may respond to a sync webhook when it goes on', async () => {
    const respond = builtInStep('respond', 'webhook', 'return_response', { fields: { body: { waited: true } } });
    const flowId = await runs.publish([delayFor('nap', 1), respond]);
    const answer = await fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}/sync`, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([200, { waited: true }]);
  });
});
