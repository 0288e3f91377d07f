import type { FlowAction } from '@millrace/domain';
import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import type { Answer, RunAnswer, ServiceClient } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

type NewRunAnswer = RunAnswer & { retryOfRunId: string | null; environment: string; projectId: string; flowId: string };

interface ErrorAnswer {
  code: string;
  params: { message: string; errors?: { path: string; message: string }[] };
}

interface LoopOutput {
  iterations: Record<string, { output: unknown }>[];
}

interface DiffAnswer {
  runs: { id: string }[];
  same: number;
  more: number;
  trigger?: { before: unknown; after: unknown };
  flowVersionId?: object;
  differences: { path: string; stepName: string; change: string; fields: Record<string, object> }[];
}

const RANDOM = 'export const code = async () => Math.random();';

describe('other runs made of runs that have ended', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;
  let client: ServiceClient;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start();
    client = targets.service.client;
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const call = (name: string, pathAndQuery: string): FlowAction =>
    actionStep(name, 'http.send_request', { method: 'POST', url: `${server.baseUrl}${pathAndQuery}` });
  /** Makes calls to this path and query fail until the returned function is called. */
  function breakCalls(path: string, query: string): () => void {
    let isMended = false;
    server.on(path, (answer, { url }) => answerJson(answer, { url }, isMended || !url.endsWith(query) ? 200 : 500));
    return () => (isMended = true);
  }
  const callsTo = (path: string) => server.callsTo(path).map(({ url }) => url.slice(url.indexOf('=') + 1));
  const iterationsOf = (run: RunAnswer, name: string) => (run.steps?.[name]?.output as LoopOutput).iterations;
  const outputs = (run: RunAnswer, loopName: string, stepName: string) =>
    iterationsOf(run, loopName).map((steps) => steps[stepName]?.output);

  const retry = (run: { id: string }, strategy: string, projectId = targets.project) =>
    client.request<NewRunAnswer & ErrorAnswer>('POST', `/flow-runs/${run.id}/retry`, { strategy, projectId });
  const rerun = (run: { id: string }, body: object) =>
    client.request<NewRunAnswer & ErrorAnswer>('POST', `/flow-runs/${run.id}/rerun`, body);
  const ended = (answer: Answer<{ id: string }>) => client.endedRun(answer.body.id);

  describe('a retry from the failed step', () => {
    const steps = (path: string) => [
      codeStep('before', {}, RANDOM),
      loop('each', '{{ [1, 2, 3].map((n) => ({ n, drawn: Math.random() })) }}', [
        codeStep('draw', {}, RANDOM),
        call('charge', `${path}?n={{each.item.n}}`),
      ]),
      codeStep('last', { items: '{{ each.iterations.map((i) => i.draw.output) }}' }),
    ];

    it('goes on in the iteration that failed, over the same items, and repeats nothing before', async () => {
      const mend = breakCalls('/charge', '=2');
      const failed = await targets.run(steps('/charge'), { order: 1 });
      expect(failed).toMatchObject({ status: 'FAILED', failedStep: { name: 'charge' } });
      mend();

      const answer = await retry(failed, 'FROM_FAILED_STEP');
      expect(answer).toMatchObject({
        status: 201,
        body: { retryOfRunId: failed.id, flowVersionId: failed.flowVersionId, projectId: targets.project },
      });
      expect(answer.body.id).not.toBe(failed.id);
      const retried = await ended(answer);

      expect(retried).toMatchObject({ status: 'SUCCEEDED', stepsCount: 9 });
      expect(callsTo('/charge')).toEqual(['1', '2', '2', '3']);
      expect(retried.steps?.['trigger']?.output).toEqual(failed.steps?.['trigger']?.output);
      expect(retried.steps?.['before']?.output).toEqual(failed.steps?.['before']?.output);
      expect(retried.steps?.['each']?.input).toEqual(failed.steps?.['each']?.input);
      expect(outputs(retried, 'each', 'draw').slice(0, 2)).toEqual(outputs(failed, 'each', 'draw'));
      expect(retried.steps?.['last']?.output).toEqual({ items: outputs(retried, 'each', 'draw') });
      expect(server.callsByKey('/charge').get(`${retried.id}:each[1].charge`)).toBe(1);
      expect(await client.must('GET', `/flow-runs/${failed.id}`)).toEqual(failed);
    });

    it('of a run that was cancelled goes on at its first step without a result', async () => {
      const arrived = new Promise<void>((resolve) =>
        server.on('/cancelled', (answer, { url }, earlier) => {
          if (url.endsWith('=2') && earlier === 0) resolve();
          else answerJson(answer, { url });
        }),
      );
      const id = await targets.start(steps('/cancelled'));
      await arrived;
      const cancel = { projectId: targets.project, flowRunIds: [id] };
      expect(await client.must('POST', '/flow-runs/cancel', cancel)).toEqual({ cancelled: 1 });
      const cancelled = await client.endedRun(id);
      expect(cancelled.status).toBe('STOPPED');

      const retried = await ended(await retry(cancelled, 'FROM_FAILED_STEP'));

      expect(retried).toMatchObject({ status: 'SUCCEEDED', stepsCount: 9 });
      expect(callsTo('/cancelled')).toEqual(['1', '2', '2', '3']);
      expect(retried.steps?.['before']?.output).toEqual(cancelled.steps?.['before']?.output);
      expect(outputs(retried, 'each', 'draw').slice(0, 2)).toEqual(outputs(cancelled, 'each', 'draw'));
    });

    it('may fail again and be retried in its turn', async () => {
      const mend = breakCalls('/chain', '=3');
      const first = await targets.run(steps('/chain'));
      const second = await ended(await retry(first, 'FROM_FAILED_STEP'));
      expect(second).toMatchObject({ status: 'FAILED', retryOfRunId: first.id, failedStep: { name: 'charge' } });
      mend();

      const third = await ended(await retry(second, 'FROM_FAILED_STEP'));

      expect(third).toMatchObject({ status: 'SUCCEEDED', retryOfRunId: second.id });
      expect(callsTo('/chain')).toEqual(['1', '2', '3', '3', '3']);
      expect(outputs(third, 'each', 'draw')).toEqual(outputs(first, 'each', 'draw'));
    });

    it('keeps finished iterations of all loops around the step, and the way of its router', async () => {
      const mend = breakCalls('/nested', '=2-2');
      const first = await targets.run([
        loop(
          'outer',
          [1, 2, 3],
          [
            loop(
              'inner',
              [1, 2],
              [
                router('which', [
                  branch(
                    'always',
                    [[{ operator: 'EXISTS', firstValue: '{{inner.item}}' }]],
                    [codeStep('draw', {}, RANDOM), call('charge', '/nested?at={{outer.item}}-{{inner.item}}')],
                  ),
                  fallback([codeStep('never')]),
                ]),
              ],
            ),
          ],
        ),
      ]);
      expect(first.failedStep?.name).toBe('charge');
      mend();

      const retried = await ended(await retry(first, 'FROM_FAILED_STEP'));

      expect(retried).toMatchObject({ status: 'SUCCEEDED', stepsCount: 1 + 3 + 6 * 3 });
      expect(callsTo('/nested')).toEqual(['1-1', '1-2', '2-1', '2-2', '2-2', '3-1', '3-2']);
      const drawn = (run: RunAnswer) =>
        iterationsOf(run, 'outer').flatMap((iteration) =>
          (iteration['inner']?.output as LoopOutput).iterations.map(({ draw }) => draw?.output),
        );
      expect(drawn(retried)).toHaveLength(6);
      expect(drawn(retried).slice(0, 4)).toEqual(drawn(first));
    });
  });

  describe('a retry on the latest version', () => {
    it('starts over with the same payload on the version that is published now', async () => {
      const broken = codeStep(
        'work',
        { n: '{{trigger.body.n}}' },
        'export const code = async () => { throw new Error("no"); };',
      );
      const { id: flowId } = await client.publishFlow(
        targets.project,
        'Mended',
        webhookTrigger([codeStep('first', {}, RANDOM), broken]),
      );
      const failed = await client.endedRun((await client.sendWebhook(flowId, { n: 7 })).body.id);
      await client.importFlow(
        flowId,
        'Mended',
        webhookTrigger([codeStep('first', {}, RANDOM), codeStep('work', { n: '{{trigger.body.n}}' })]),
      );
      const { publishedVersionId } = await client.must<{ publishedVersionId: string }>('POST', `/flows/${flowId}`, {
        type: 'LOCK_AND_PUBLISH',
        request: {},
      });

      const retried = await ended(await retry(failed, 'ON_LATEST_VERSION'));

      expect(retried).toMatchObject({
        status: 'SUCCEEDED',
        flowVersionId: publishedVersionId,
        retryOfRunId: failed.id,
        environment: 'PRODUCTION',
      });
      expect(retried.steps?.['work']?.output).toEqual({ n: 7 });
      expect(retried.steps?.['first']?.output).not.toEqual(failed.steps?.['first']?.output);
      expect(await ended(await retry(failed, 'FROM_FAILED_STEP'))).toMatchObject({
        status: 'FAILED',
        flowVersionId: failed.flowVersionId,
      });
    });
  });

  describe('a retry is refused', () => {
    it('while the run goes on', async () => {
      let letGo = (): void => undefined;
      const arrived = new Promise<void>((resolve) =>
        server.on('/held', (answer) => {
          letGo = () => answerJson(answer, {});
          resolve();
        }),
      );
      const id = await targets.start([call('hold', '/held?n=1')]);
      await arrived;
      for (const answer of [await retry({ id }, 'ON_LATEST_VERSION'), await rerun({ id }, {})])
        expect(answer).toMatchObject({ status: 409, body: { code: 'FLOW_RUN_NOT_RETRYABLE' } });
      letGo();
      expect(await client.endedRun(id)).toMatchObject({ status: 'SUCCEEDED' });
    });

    it.each<[string, (run: RunAnswer) => Promise<Answer<ErrorAnswer>>, number, string]>([
      [
        'from the failed step of a run that succeeded',
        (run) => retry(run, 'FROM_FAILED_STEP'),
        409,
        'FLOW_RUN_NOT_RETRYABLE',
      ],
      [
        'in the name of another project',
        async (run) => retry(run, 'ON_LATEST_VERSION', await client.createProject('Other')),
        403,
        'AUTHORIZATION',
      ],
      ['by another strategy', (run) => retry(run, 'AGAIN'), 400, 'VALIDATION'],
      [
        'of an unknown run',
        () => retry({ id: '0199f000-0000-7000-8000-00000000dead' }, 'ON_LATEST_VERSION'),
        404,
        'ENTITY_NOT_FOUND',
      ],
    ])('%s', async (_what, ask, status, code) => {
      const run = await targets.run([codeStep('a')]);
      expect(await ask(run)).toMatchObject({ status, body: { code } });
    });

    it('when the flow was deleted', async () => {
      const run = (await targets.run([codeStep('a')])) as NewRunAnswer;
      await client.must('DELETE', `/flows/${run.flowId}`);
      const answer = await retry(run, 'ON_LATEST_VERSION');
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'FLOW_RUN_NOT_RETRYABLE', params: { message: `The flow of the run ${run.id} was deleted.` } },
      });
    });
  });

  describe('a bulk retry', () => {
    let project: string;
    let failed: RunAnswer[];
    let succeeded: RunAnswer;

    const retryMany = (body: object) =>
      client.request<{ retried: number }>('POST', '/flow-runs/retry', { projectId: project, ...body });
    const retriesOf = async (run: RunAnswer) => {
      const { data } = await client.must<{ data: NewRunAnswer[] }>('GET', `/flow-runs?projectId=${project}&limit=100`);
      return data.filter(({ retryOfRunId }) => retryOfRunId === run.id);
    };
    const allEnded = async () => {
      const { data } = await client.must<{ data: NewRunAnswer[] }>('GET', `/flow-runs?projectId=${project}&limit=100`);
      await Promise.all(data.map(({ id }) => client.endedRun(id)));
    };

    beforeEach(async () => {
      project = await client.createProject('Bulk');
      const throwing = 'export const code = async ({ n }) => { if (n > 0) throw new Error("no"); return n; };';
      const { id } = await client.publishFlow(
        project,
        'Bulk',
        webhookTrigger([codeStep('kept', {}, RANDOM), codeStep('work', { n: '{{trigger.body.n}}' }, throwing)]),
      );
      const sent = await Promise.all([0, 1, 2, 3].map((n) => client.sendWebhook(id, { n })));
      const runs = await Promise.all(sent.map(ended));
      [succeeded, ...failed] = runs as [RunAnswer, ...RunAnswer[]];
    });

    it('retries all that ended badly, each once, and none of its own retries', async () => {
      expect(await retryMany({ strategy: 'FROM_FAILED_STEP', dryRun: true })).toMatchObject({
        status: 200,
        body: { retried: 3 },
      });
      expect(await retriesOf(failed[0] as RunAnswer)).toEqual([]);

      expect((await retryMany({ strategy: 'FROM_FAILED_STEP' })).body).toEqual({ retried: 3 });

      await allEnded();
      for (const run of failed) {
        const [retried, ...others] = await retriesOf(run);
        expect(others).toEqual([]);
        const detail = await client.must<RunAnswer>('GET', `/flow-runs/${retried?.id}`);
        expect(detail.steps?.['kept']?.output).toEqual(run.steps?.['kept']?.output);
      }
      expect(await retriesOf(succeeded)).toEqual([]);
      const again = await retryMany({ strategy: 'FROM_FAILED_STEP', dryRun: true });
      expect(again.body).toEqual({ retried: 3 }); // the call retries the retries, and skips runs that have a retry
    });

    it('leaves out runs that are excluded, and takes those that the filters select', async () => {
      const [one, two, three] = failed as [RunAnswer, RunAnswer, RunAnswer];
      const filter = {
        strategy: 'ON_LATEST_VERSION',
        failedStepName: 'work',
        createdAfter: one.created < two.created ? one.created : two.created,
      };
      expect((await retryMany({ ...filter, excludeFlowRunIds: [one.id] })).body).toEqual({ retried: 2 });
      await allEnded();
      expect([await retriesOf(one), await retriesOf(two), await retriesOf(three)].map(({ length }) => length)).toEqual([
        0, 1, 1,
      ]);
      for (const nothing of [
        { failedStepName: 'kept' },
        { createdBefore: '2020-01-01T00:00:00.000Z' },
        { status: ['STOPPED'] },
      ])
        expect((await retryMany({ strategy: 'ON_LATEST_VERSION', ...nothing })).body).toEqual({ retried: 0 });
    });

    it('takes the runs it is named, and passes over those that cannot be retried', async () => {
      const flowRunIds = [failed[0]?.id, succeeded.id, '0199f000-0000-7000-8000-00000000dead', 'no id'];
      expect((await retryMany({ strategy: 'FROM_FAILED_STEP', flowRunIds })).body).toEqual({ retried: 1 });
      expect((await retryMany({ strategy: 'ON_LATEST_VERSION', flowRunIds, status: ['STOPPED'] })).body).toEqual({
        retried: 2,
      });
      await allEnded();
      expect(await retriesOf(succeeded)).toHaveLength(1);
    });

    it('refuses more ids than it takes, unfinished statuses and foreign projects', async () => {
      const flowRunIds = Array.from({ length: 10_001 }, () => 'x');
      for (const wrong of [{ flowRunIds }, { status: ['RUNNING'] }, { strategy: 'NONE' }])
        expect(await retryMany({ strategy: 'FROM_FAILED_STEP', ...wrong })).toMatchObject({
          status: 400,
          body: { code: 'VALIDATION' },
        });
      const key = await client.must<{ value: string }>('POST', '/api-keys', {
        displayName: 'K',
        projectId: targets.project,
      });
      const stranger = client.withToken(key.value);
      expect(
        await stranger.request('POST', '/flow-runs/retry', { strategy: 'FROM_FAILED_STEP', projectId: project }),
      ).toMatchObject({ status: 403, body: { code: 'AUTHORIZATION' } });
    });
  });

  describe('a rerun', () => {
    let run: NewRunAnswer;
    const steps = () => [
      codeStep('before', { n: '{{trigger.body.n}}' }),
      loop('each', '{{trigger.body.items}}', [
        codeStep('double', { n: '{{each.item * before.n}}' }),
        router('which', [
          branch(
            'odd',
            [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: '{{ each.item % 2 === 1 }}' }]],
            [call('odd', '/rerun?odd={{each.item}}')],
          ),
          fallback([codeStep('even', { n: '{{double.n}}' })]),
        ]),
        loop('inner', [1, 2], [codeStep('deep', { at: '{{each.item}}-{{inner.item}}' })]),
      ]),
      codeStep('last', { all: '{{ each.iterations.map((i) => i.double.output.n) }}' }),
      call('report', '/rerun?report=1'),
    ];
    const outputsOf = (of: RunAnswer): unknown =>
      JSON.parse(
        JSON.stringify(of.steps, (key, value: unknown) =>
          ['duration', 'startTime', 'waited', 'headers'].includes(key) ? undefined : value,
        ),
      );

    beforeAll(async () => {
      run = (await targets.run(steps(), { n: 10, items: [1, 2, 3] })) as NewRunAnswer;
      expect(run.status).toBe('SUCCEEDED');
    });

    it.each<[string, object, string[]]>([
      ['the first step', { fromStep: 'before' }, ['1', '3', '1']],
      ['the loop', { fromStep: 'each' }, ['1', '3', '1']],
      ['the middle of the second iteration', { fromStep: 'which', iteration: 2 }, ['3', '1']],
      ['a branch of the third iteration', { fromStep: 'odd', iteration: [3] }, ['3', '1']],
      ['an inner iteration', { fromStep: 'deep', iteration: [3, 2] }, ['1']],
      ['the step after the loop', { fromStep: 'last' }, ['1']],
      ['the last step', { fromStep: 'report' }, ['1']],
      ['the start', {}, ['1', '3', '1']],
    ])('from %s comes to the same, and has only the effects from there on', async (_what, from, effects) => {
      const before = callsTo('/rerun').length;
      const answer = await rerun(run, { ...from, version: 'same' });
      expect(answer).toMatchObject({ status: 201, body: { retryOfRunId: run.id, flowVersionId: run.flowVersionId } });
      const again = await ended(answer);
      expect(again).toMatchObject({ status: 'SUCCEEDED', stepsCount: run.stepsCount });
      expect(outputsOf(again)).toEqual(outputsOf(run));
      expect(callsTo('/rerun').slice(before)).toEqual(effects);
    });

    it('tells beforehand which effectful steps would run again, and starts nothing', async () => {
      const before = callsTo('/rerun').length;
      const http = { pieceName: 'http', actionName: 'send_request', ranBefore: true };
      const odd = { stepName: 'odd', displayName: 'odd', ...http };
      const report = { stepName: 'report', displayName: 'report', ...http };
      const plan = async (body: object) => await rerun(run, { ...body, version: 'same', dryRun: true });
      expect(await plan({ fromStep: 'which', iteration: 2 })).toMatchObject({
        status: 200,
        body: { steps: [odd, report], keptSteps: 8 },
      });
      expect((await plan({ fromStep: 'inner', iteration: 3 })).body).toMatchObject({ steps: [report] });
      expect((await plan({})).body).toEqual({ steps: [odd, report], keptSteps: 0 });
      expect(callsTo('/rerun')).toHaveLength(before);
    });

    it('may be given another input', async () => {
      const again = await ended(await rerun(run, { version: 'same', input: { body: { n: 5, items: [2] } } }));
      expect(again.steps?.['last']?.output).toEqual({ all: [10] });
      expect(again.steps?.['trigger']?.output).toEqual({ body: { n: 5, items: [2] } });
    });

    it('takes the published version or the draft, with the results that still fit', async () => {
      const edited = steps();
      edited[2] = codeStep('last', { count: '{{ each.iterations.length }}' });
      await client.importFlow(run.flowId, 'Edited', webhookTrigger(edited));
      const draft = await ended(await rerun(run, { fromStep: 'last', version: 'draft' }));
      expect(draft).toMatchObject({ status: 'SUCCEEDED', environment: 'TESTING' });
      expect(draft.steps?.['last']?.output).toEqual({ count: 3 });

      const latest = await ended(await rerun(run, { fromStep: 'last', version: 'latest' }));
      expect(latest).toMatchObject({ environment: 'PRODUCTION', flowVersionId: run.flowVersionId });
      expect(latest.steps?.['last']?.output).toEqual(run.steps?.['last']?.output);
    });

    it('sends out links of its own when it begins after the step that made them', async () => {
      const mailed = (): string[] => server.callsTo('/mail').map(({ body }) => (JSON.parse(body) as { to: string }).to);
      const approve = (link = '') => {
        const { pathname, search } = new URL(link);
        return client.withToken(null).request('POST', pathname.replace('/api/v1', '') + search);
      };
      const first = await targets.start([
        actionStep('links', 'approval.create_approval_links', {}),
        actionStep('mail', 'http.send_request', {
          ...{ method: 'POST', url: `${server.baseUrl}/mail`, body: { to: '{{ links.approvalLink }}' } },
        }),
        actionStep('ask', 'approval.wait_for_approval', {}),
      ]);
      await client.pausedRun(first);
      await approve(mailed()[0]);
      await client.endedRun(first);

      const { body: again } = await rerun({ id: first }, { fromStep: 'mail', version: 'same' });
      await client.pausedRun(again.id);
      expect(mailed()[1]).toContain(again.id);
      expect(await approve(mailed()[1])).toMatchObject({ status: 200 });
      expect(await client.endedRun(again.id)).toMatchObject({
        ...{ status: 'SUCCEEDED', steps: { ask: { output: { approved: true } } } },
      });
    });

    it.each<[string, object, string, string | undefined]>([
      ['an unknown step', { fromStep: 'nowhere' }, 'FLOW_OPERATION_INVALID', undefined],
      ['a branch that was not taken', { fromStep: 'even', iteration: 1 }, 'FLOW_OPERATION_INVALID', undefined],
      ['a step in a loop without an iteration', { fromStep: 'double' }, 'VALIDATION', '/iteration'],
      ['an iteration that did not run', { fromStep: 'double', iteration: 4 }, 'VALIDATION', '/iteration'],
      ['an inner iteration that did not run', { fromStep: 'deep', iteration: [1, 3] }, 'VALIDATION', '/iteration/1'],
      ['another version', { version: 'newest' }, 'VALIDATION', '/version'],
    ])('is refused from %s', async (_what, body, code, path) => {
      const answer = await rerun(run, body);
      expect(answer).toMatchObject({ status: 400, body: { code } });
      expect(answer.body.params.errors?.[0]?.path).toBe(path);
    });
  });

  describe('the difference between two runs', () => {
    const diff = (one: { id: string }, other: { id: string }) =>
      client.request<DiffAnswer & ErrorAnswer>('GET', `/flow-runs/${one.id}/diff/${other.id}`);

    it('is told step by step, with payload, and large values cut', async () => {
      const { id } = await client.publishFlow(
        targets.project,
        'Compared',
        webhookTrigger([
          codeStep('same', {}, 'export const code = async () => 1;'),
          loop('each', '{{trigger.body.items}}', [
            codeStep(
              'work',
              { n: '{{each.item}}' },
              'export const code = async ({ n }) => { if (n === 0) throw new Error("zero"); return 1 / n; };',
            ),
          ]),
          codeStep('large', {}, 'export const code = async () => "x".repeat(5000);'),
        ]),
      );
      const [good, bad] = await Promise.all(
        [
          [1, 2],
          [1, 0],
        ].map(async (items) => ended(await client.sendWebhook(id, { items }))),
      );
      const { status, body } = await diff(good as RunAnswer, bad as RunAnswer);

      expect(status).toBe(200);
      expect(body.runs.map((run) => run.id)).toEqual([good?.id, bad?.id]);
      expect([body.same, body.more, body.flowVersionId]).toEqual([2, 0, undefined]);
      expect(body.trigger).toMatchObject({ before: { body: { items: [1, 2] } }, after: { body: { items: [1, 0] } } });
      expect(body.differences.map(({ path, change }) => [path, change])).toEqual([
        ['each[1].work', 'CHANGED'],
        ['each', 'CHANGED'],
        ['large', 'REMOVED'],
      ]);
      expect(body.differences[0]).toMatchObject({
        stepName: 'work',
        fields: {
          status: { before: 'SUCCEEDED', after: 'FAILED' },
          input: { before: { n: 2 }, after: { n: 0 } },
          output: { before: 0.5 },
        },
      });
      expect(body.differences[2]?.fields['output']).toEqual({ before: `"${'x'.repeat(999)}`, cut: ['before'] });
    });

    it('is nothing between a run and its exact repetition, and not told across projects', async () => {
      const run = await targets.run([codeStep('a', { n: 1 })]);
      const again = await ended(await rerun(run, { version: 'same' }));
      expect((await diff(run, again)).body).toMatchObject({ same: 1, differences: [] });

      const other = await client.createProject('Elsewhere');
      const { id } = await client.publishFlow(other, 'X', webhookTrigger([codeStep('a')]));
      const foreign = await ended(await client.sendWebhook(id, {}));
      expect(await diff(run, foreign)).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
    });
  });
});
