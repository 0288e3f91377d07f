import type { FlowAction } from '@millrace/domain';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, patience, type RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const WITHIN_MS = 60_000 * patience;

/** How a package of a version waits: until a moment, and for a call of the URL that `hand` gives away before. */
const WAITS = {
  paused: {
    delay: `run.pause({ pauseMetadata: { type: 'DELAY', resumeDateTime: at } });`,
    webhook: `
      await hand(generateResumeUrl({ queryParams: { by: 'link' } }));
      run.pause({ pauseMetadata: { type: 'WEBHOOK', response } });`,
  },
  waitpoints: {
    delay: `run.waitForWaitpoint((await run.createWaitpoint({ type: 'DELAY', resumeDateTime: at })).id);`,
    webhook: `
      const point = await run.createWaitpoint({ type: 'WEBHOOK', responseToSend: response });
      await hand(point.buildResumeUrl({ queryParams: { by: 'link' } }));
      run.waitForWaitpoint(point.id);`,
  },
};

/** A package of this context version, whose actions wait. */
const sourceOf = (version: string | undefined): string => {
  const { delay, webhook } = version === '2' ? WAITS.waitpoints : WAITS.paused;
  return `
const prop = (type) => ({ type, displayName: type, required: false });
const action = (name, props, run) => ({ name, displayName: name, description: '', requireAuth: false, props, run });
const actions = {
  delay: action('delay', { form: prop('SHORT_TEXT') }, async ({ propsValue, executionType, resumePayload, run }) => {
    if (executionType === 'RESUME') return { executionType, resumePayload };
    const date = new Date(Date.now() + 1_500);
    const at = propsValue.form === 'utc' ? date.toUTCString() : date.toISOString();
    ${delay}
    return { ignored: true };
  }),
  webhook: action('webhook', { url: prop('SHORT_TEXT'), status: prop('NUMBER') },
    async ({ propsValue: { url, status }, executionType, resumePayload, run, ...context }) => {
      if (executionType === 'RESUME') return resumePayload;
      const { generateResumeUrl } = context;
      let handed;
      const hand = async (resumeUrl) => {
        handed = resumeUrl;
        if (url) await fetch(url, { method: 'POST', body: JSON.stringify({ resumeUrl }) });
      };
      const response = { status: status || 202, headers: { 'x-waits': 'yes' }, body: { get goOnAt() { return handed; } } };
      ${webhook}
      return { ignored: true };
    }),
  tried: { ...action('tried', {}, async () => 'ran'), test: async ({ step }) => ({ tried: step.name }) },
  link: action('link', {}, async ({ generateResumeUrl }) => ({ url: generateResumeUrl({ queryParams: { a: '1' } }) })),
  stop: action('stop', {}, async ({ run }) => run.stop({ response: { status: 201, body: { stopped: true } } })),
  respond: action('respond', {}, async ({ run }) => { run.respond({ response: { status: 203, body: 'early' } }); return 1; }),
};
exports.waiting = {
  metadata: () => ({ displayName: 'Waiting', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  ${version === undefined ? '' : `getContextInfo: () => ({ version: '${version}' }),`}
};`;
};

const VERSIONS = [
  ['none', undefined],
  ['1', '1'],
  ['2', '2'],
] as const;

describe('packages that wait', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start();
    for (const [name, version] of VERSIONS)
      await installPackage(targets.service.client, `@e2e/piece-waits-${name}`, sourceOf(version));
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const act = (name: string, action: string, input: Record<string, unknown> = {}, step = action) => {
    const made = pieceStep(step, input);
    const pieceName = `@e2e/piece-waits-${name}`;
    return { ...made, settings: { ...made.settings, pieceName, pieceVersion: '1.0.0', actionName: action } };
  };
  const post = async (url: string, body: unknown): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const outputOf = (run: RunAnswer, step: string): unknown => {
    expect([run.status, run.failedStep]).toEqual(['SUCCEEDED', undefined]);
    return run.steps?.[step]?.output;
  };
  const ended = (runId: string): Promise<RunAnswer> => targets.service.client.endedRun(runId, WITHIN_MS);
  const pausedRun = (runId: string): Promise<RunAnswer> =>
    until('The pause', async () => {
      const run = await targets.service.client.must<RunAnswer>('GET', `/flow-runs/${runId}`);
      return run.status === 'PAUSED' ? run : undefined;
    });
  const webhook = async (...steps: FlowAction[]): Promise<{ id: string; answer: Response }> => {
    const { client } = targets.service;
    const { id } = await client.publishFlow(targets.project, 'Waits', webhookTrigger(steps));
    const answer = await fetch(`${client.baseUrl}/api/v1/webhooks/${id}/sync`, { method: 'POST' });
    return { id: String(answer.headers.get('x-webhook-id')), answer };
  };

  describe.each(VERSIONS)('of context version %s', (name, version) => {
    it.each(['iso', 'utc'])('go on at a moment that they name (%s)', async (form) => {
      const run = await targets.run([act(name, 'delay', { form })]);

      expect(outputOf(run, 'delay')).toEqual({
        executionType: 'RESUME',
        resumePayload: { body: {}, headers: {}, queryParams: {} },
      });
    });

    it('answer the caller, wait, and go on with what is sent to their URL', async () => {
      const { id, answer } = await webhook(act(name, 'webhook', { status: 207 }));

      expect([answer.status, answer.headers.get('x-waits')]).toEqual([207, 'yes']);
      const { goOnAt } = (await answer.json()) as { goOnAt: string };
      await pausedRun(id);
      expect(await post(goOnAt, { yes: 1 })).toBe(200);

      expect(outputOf(await ended(id), 'webhook')).toMatchObject({
        body: { yes: 1 },
        headers: { 'content-type': 'application/json' },
        queryParams: { by: 'link' },
      });
    });

    it('go on with an answer that comes while the step still runs', async () => {
      const statuses: number[] = [];
      server.on(`/during-${name}`, (answer, { body }) => {
        void post((JSON.parse(String(body)) as { resumeUrl: string }).resumeUrl, { early: true }).then((status) => {
          statuses.push(status);
          answerJson(answer, {});
        });
      });

      const run = await targets.run([act(name, 'webhook', { url: `${server.baseUrl}/during-${name}` })]);

      expect(statuses).toEqual([200]);
      expect(outputOf(run, 'webhook')).toMatchObject({ body: { early: true } });
    });

    it('wait on when their worker is killed', async () => {
      const { id, answer } = await webhook(act(name, 'webhook'));
      const { goOnAt } = (await answer.json()) as { goOnAt: string };
      await pausedRun(id);

      targets.service.kill('worker');
      expect(await post(goOnAt, { yes: 2 })).toBe(200);

      expect(outputOf(await ended(id), 'webhook')).toMatchObject({ body: { yes: 2 } });
    });

    it('keep an answer whose worker is killed while the step still runs', async () => {
      let calls = 0;
      server.on(`/killed-${name}`, (answer, { body }) => {
        const { resumeUrl } = JSON.parse(String(body)) as { resumeUrl: string };
        if (++calls > 1) return answerJson(answer, {});
        void post(resumeUrl, { kept: true }).then(() => targets.service.kill('worker'));
      });

      const run = await targets.run([act(name, 'webhook', { url: `${server.baseUrl}/killed-${name}` })]);

      expect(outputOf(run, 'webhook')).toMatchObject({ body: { kept: true } });
      expect(calls).toBe(2);
    });

    it('are tried by their author as they say', async () => {
      const { client } = targets.service;
      const { id } = await client.publishFlow(targets.project, 'Tried', webhookTrigger([act(name, 'tried')]));
      const answer = await client.must('POST', '/sample-data/test-step', { flowId: id, stepName: 'tried' });

      expect(answer).toMatchObject({ status: 'SUCCEEDED', output: { tried: 'tried' } });
      expect(outputOf(await targets.run([act(name, 'tried')]), 'tried')).toBe('ran');
    });

    it('end the run, and answer while it goes on', async () => {
      const stopped = await webhook(act(name, 'stop'), act(name, 'respond'));
      const responded = await webhook(act(name, 'respond'), act(name, 'stop'));

      expect([stopped.answer.status, await stopped.answer.json()]).toEqual([201, { stopped: true }]);
      expect(Object.keys((await ended(stopped.id)).steps ?? {})).toEqual(['trigger', 'stop']);
      expect([responded.answer.status, await responded.answer.text()]).toEqual([203, 'early']);
      expect(Object.keys((await ended(responded.id)).steps ?? {})).toEqual(['trigger', 'respond', 'stop']);
    });

    if (version !== '2')
      it('wait in a later step for the URL that an earlier one has made', async () => {
        const id = await targets.start([act(name, 'link'), act(name, 'webhook')]);
        const { steps } = await pausedRun(id);
        const { url } = steps?.['link']?.output as { url: string };

        expect(await post(url, { late: true })).toBe(200);

        expect(outputOf(await ended(id), 'webhook')).toMatchObject({ body: { late: true }, queryParams: { a: '1' } });
      });
  });
});
