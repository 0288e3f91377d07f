import {
  branch,
  builtInStep,
  builtInTrigger,
  codeStep,
  fallback,
  router,
  webhookTrigger,
} from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type Answer, type RunAnswer } from '@millrace/e2e-support';

const ALWAYS = [[{ operator: 'EXISTS' as const, firstValue: 'x' }]];

describe('requests of waiting runs', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = client.withToken(null);
  let project: string;
  let approval: string;
  let form: string;

  beforeAll(async () => {
    project = await client.createProject('Human input');
    const tell = codeStep('tell', { answer: '{{ask}}' });
    approval = await publish('Approve <orders>', builtInStep('ask', 'approval', 'wait_for_approval'), tell);
    const fields = [
      { name: 'count', label: 'How many?', type: 'number', required: true },
      { name: 'gift', label: 'A gift?', type: 'boolean' },
    ];
    form = await publish('Ask', builtInStep('ask', 'human_input', 'wait_for_input', { fields }), tell);
  });

  const publish = async (name: string, ...steps: Parameters<typeof webhookTrigger>[0] & object): Promise<string> =>
    (await client.publishFlow(project, name, webhookTrigger(steps))).id;
  const waitingRun = async (flowId: string) => client.pausedRun((await client.sendWebhook(flowId, {})).body.id);
  const pathOf = ({ id, requestId }: { id: string; requestId: string }) => `/flow-runs/${id}/requests/${requestId}`;
  const resume = (run: { id: string; requestId: string }, body: unknown, more = '/sync'): Promise<Answer<unknown>> =>
    anyone.request('POST', pathOf(run) + more, body);
  const ended = (runId: string) => client.runOnce(runId, ({ finishTime }) => finishTime !== null);
  const statusOf = async (runId: string) => (await client.must<RunAnswer>('GET', `/flow-runs/${runId}`)).status;
  const browse = (path: string, init: RequestInit = {}) =>
    fetch(`${service.baseUrl}/api/v1${path}`, { ...init, headers: { accept: 'text/html,*/*;q=0.8', ...init.headers } });
  const sendForm = (path: string, members: Record<string, string>) =>
    browse(path, { method: 'POST', body: new URLSearchParams(members) });

  it('are told with the run: what it waits for, since when, and by which request', async () => {
    const run = await waitingRun(approval);
    expect(run).toMatchObject({
      status: 'PAUSED',
      finishTime: null,
      waitingOn: { kind: 'human', requestId: expect.stringMatching(/^[\w-]{22}$/) as string },
      steps: { ask: { status: 'PAUSED' } },
    });
    expect(run.steps).not.toHaveProperty('tell');
  });

  it('are answered without a login; the answer is the output of the step, and the run goes on', async () => {
    const run = await waitingRun(approval);
    expect(await resume(run, { approved: true, comment: 'Fine.' })).toMatchObject({
      status: 200,
      body: { approved: true, comment: 'Fine.' },
    });
    expect(await ended(run.id)).toMatchObject({
      status: 'SUCCEEDED',
      stepsCount: 2,
      steps: {
        ask: { status: 'SUCCEEDED', output: { approved: true, comment: 'Fine.' } },
        tell: { output: { answer: { approved: true, comment: 'Fine.' } } },
      },
    });
  });

  it.each<[unknown, string, unknown]>([
    [{ approved: false }, '', { approved: false }],
    [{ action: 'APPROVE' }, '', { approved: true }],
    [{ action: 'REJECT', comment: 'No.' }, '', { approved: false, comment: 'No.' }],
    [undefined, '?action=disapprove', { approved: false }],
  ])('of approvals take %j%s', async (body, query, output) => {
    const run = await waitingRun(approval);
    expect(await resume(run, body, `/sync${query}`)).toMatchObject({ status: 200, body: output });
    expect((await ended(run.id)).steps?.['ask']?.output).toEqual(output);
  });

  it('answer at once with the run where the output is not asked for', async () => {
    const run = await waitingRun(approval);
    const { status, body } = await resume(run, { approved: true }, '');
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: run.id, status: expect.stringMatching(/^(RUNNING|SUCCEEDED)$/) as string },
    });
  });

  it('have one winner among twenty answers at the same time', async () => {
    const run = await waitingRun(approval);
    const comments = Array.from({ length: 20 }, (_, index) => `I am number ${index}`);
    const answers = await Promise.all(comments.map((comment) => resume(run, { approved: true, comment })));

    const winners = comments.filter((_, index) => answers[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect((await ended(run.id)).steps?.['ask']?.output).toEqual({ approved: true, comment: winners[0] });
  });

  it('give the same answer again to the same body, also after the run has ended', async () => {
    const run = await waitingRun(approval);
    const answers = await Promise.all(Array.from({ length: 5 }, () => resume(run, { approved: true })));
    await ended(run.id);
    answers.push(await resume(run, { approved: true }));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { approved: true } });
    expect(await resume(run, { approved: false })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_RUN_NOT_PAUSED', params: { flowRunId: run.id, status: 'SUCCEEDED' } },
    });
  });

  it('go on waiting after what is no answer', async () => {
    const run = await waitingRun(form);
    expect(await resume(run, { count: 'many', colour: 'red' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path: '/count' }, { path: '/colour' }] } },
    });
    expect(await statusOf(run.id)).toBe('PAUSED');
    expect(await resume(run, { count: 3 })).toMatchObject({ status: 200, body: { count: 3, gift: null } });
    expect((await ended(run.id)).steps?.['tell']?.output).toEqual({ answer: { count: 3, gift: null } });
  });

  it('are unknown under another id, or at another run', async () => {
    const [run, other] = [await waitingRun(approval), await waitingRun(approval)];
    const wrong = [
      { ...run, requestId: other.requestId },
      { ...run, requestId: 'none' },
      { ...run, id: 'nope' },
    ];
    for (const each of wrong)
      expect(await resume(each, { approved: true })).toMatchObject({
        status: 404,
        body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'request', entityId: each.requestId } },
      });
    expect(await statusOf(run.id)).toBe('PAUSED');
  });

  it('end with the run when it is cancelled', async () => {
    const run = await waitingRun(approval);
    await client.must('POST', '/flow-runs/cancel', { projectId: project, flowRunIds: [run.id] });
    expect(await statusOf(run.id)).toBe('STOPPED');
    expect(await resume(run, { approved: true })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_RUN_NOT_PAUSED', params: { status: 'STOPPED' } },
    });
    const page = await browse(pathOf(run));
    expect([page.status, await page.text()]).toEqual([409, expect.stringContaining('ended as STOPPED')]);
  });

  it('of several branches that wait at once are answered one by one', async () => {
    const ask = (name: string) => [builtInStep(name, 'approval', 'wait_for_approval')];
    const branches = [branch('One', ALWAYS, ask('one')), branch('Two', ALWAYS, ask('two')), fallback()];
    const both = router('both', branches, { executionType: 'EXECUTE_ALL_MATCH' });
    const run = await waitingRun(await publish('Two at once', both, codeStep('after')));
    expect(run.steps).toMatchObject({ one: { status: 'PAUSED' }, two: { status: 'PAUSED' } });

    await resume(run, { approved: true, comment: 'first' });
    const second = await client.runOnce(
      run.id,
      ({ status, waitingOn }) => status === 'PAUSED' && waitingOn?.requestId !== run.requestId,
    );
    await resume({ id: run.id, requestId: second.waitingOn?.requestId ?? '' }, { approved: true, comment: 'second' });

    const { status, steps } = await ended(run.id);
    expect(status).toBe('SUCCEEDED');
    const comments = [steps?.['one'], steps?.['two']].map((step) => (step?.output as { comment: string }).comment);
    expect(comments.sort()).toEqual(['first', 'second']);
    expect(steps).toHaveProperty('after');
  });

  it('can be answered by links that were given away before', async () => {
    const flow = await publish(
      'Links',
      builtInStep('links', 'approval', 'create_approval_links'),
      builtInStep('ask', 'approval', 'wait_for_approval'),
    );
    const run = await waitingRun(flow);
    const { approvalLink, disapprovalLink } = run.steps?.['links']?.output as Record<string, string>;
    const pathIn = (link: string | undefined) =>
      new URL(link ?? '').pathname.replace('/api/v1', '') + new URL(link ?? '').search;

    expect((await browse(pathIn(approvalLink))).status).toBe(200);
    expect(await statusOf(run.id)).toBe('PAUSED');
    expect(await anyone.request('POST', pathIn(disapprovalLink))).toMatchObject({ status: 200 });
    expect((await ended(run.id)).steps?.['ask']?.output).toEqual({ approved: false });
  });

  describe('as a page', () => {
    it('name the flow, load nothing, and are neither stored nor indexed', async () => {
      const run = await waitingRun(approval);
      for (const more of ['', '/sync', '/sync?action=approve']) {
        const page = await browse(pathOf(run) + more);
        expect(page.status).toBe(200);
        expect(Object.fromEntries(page.headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': expect.stringContaining("default-src 'none'") as string,
          'x-robots-tag': 'noindex, nofollow',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        });
        const html = await page.text();
        expect(html).toContain('Approve &lt;orders&gt;');
        expect(html).not.toContain('<script');
      }
    });

    it('never resume, however often they are looked at', async () => {
      const run = await waitingRun(approval);
      for (const method of ['GET', 'HEAD'])
        for (const more of ['?action=approve', '/sync?action=approve'])
          expect((await browse(pathOf(run) + more, { method })).status).toBe(200);
      expect(await statusOf(run.id)).toBe('PAUSED');
    });

    it('take an approval, give thanks, and then say that it was given', async () => {
      const run = await waitingRun(approval);
      const thanks = await sendForm(pathOf(run), { action: 'REJECT', comment: 'Zu teuer.' });
      expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('Thank you')]);
      expect((await ended(run.id)).steps?.['ask']?.output).toEqual({ approved: false, comment: 'Zu teuer.' });

      const again = await browse(pathOf(run));
      expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('answered already')]);
    });

    it('take a form, ask again for what is wrong, and make values of the rest', async () => {
      const run = await waitingRun(form);
      expect(await (await browse(pathOf(run))).text()).toContain('How many?');
      const refused = await sendForm(pathOf(run), { count: 'many', gift: '' });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('How many? must be a number.'),
      ]);
      expect(await statusOf(run.id)).toBe('PAUSED');

      expect((await sendForm(pathOf(run), { count: '3', gift: 'true' })).status).toBe(200);
      expect((await ended(run.id)).steps?.['ask']?.output).toEqual({ count: 3, gift: true });
    });

    it('say that there is nothing at a link that leads nowhere', async () => {
      const run = await waitingRun(approval);
      const page = await browse(`/flow-runs/${run.id}/requests/none`);
      expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('leads nowhere')]);
      expect(await anyone.request('GET', `/flow-runs/${run.id}/requests/none`)).toMatchObject({ status: 404 });
    });
  });

  describe('that start a run, as forms', () => {
    const fields = [
      { name: 'name', label: 'Your <name>', type: 'text', required: true },
      { name: 'count', label: 'How many?', type: 'number' },
    ];
    let flow: string;
    const runsOf = async (flowId: string) =>
      (await client.must<{ count: number }>('GET', `/flow-runs/count?projectId=${project}&flowId=${flowId}`)).count;

    beforeAll(async () => {
      const tell = codeStep('tell', { given: '{{trigger}}' });
      const trigger = builtInTrigger('human_input', 'form_submission', [tell], { fields });
      flow = (await client.publishFlow(project, 'Orders', trigger)).id;
    });

    it('take the values of a program, and give them to the run with their types', async () => {
      const { status, body } = await anyone.request<{ id: string }>('POST', `/forms/${flow}`, {
        name: 'Ada',
        count: '3',
      });

      expect(status).toBe(201);
      expect(await ended(body.id)).toMatchObject({
        status: 'SUCCEEDED',
        environment: 'PRODUCTION',
        triggeredBy: 'webhook',
        steps: {
          trigger: { output: { name: 'Ada', count: 3 } },
          tell: { output: { given: { name: 'Ada', count: 3 } } },
        },
      });
    });

    it('are shown to a person, asked again for what is wrong, and thanked for; only the last starts a run', async () => {
      const before = await runsOf(flow);
      const page = await browse(`/forms/${flow}`);
      expect([page.status, page.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringContaining("default-src 'none'"),
      ]);
      expect(await page.text()).toContain('Your &lt;name&gt;');
      const refused = await sendForm(`/forms/${flow}`, { name: 'Ada', count: 'many' });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('How many? must be a number.'),
      ]);
      expect(await runsOf(flow)).toBe(before);

      const thanks = await sendForm(`/forms/${flow}`, { name: 'Ada', count: '' });

      expect([thanks.status, await thanks.text()]).toEqual([201, expect.stringContaining('Thank you')]);
      expect(await runsOf(flow)).toBe(before + 1);
    });

    it('are unknown at other flows, and closed while the flow is disabled', async () => {
      for (const id of [approval, '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c10', 'nope'])
        for (const method of ['GET', 'POST'])
          expect(await anyone.request(method, `/forms/${id}`)).toMatchObject({
            status: 404,
            body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: id } },
          });
      expect(await client.sendWebhook(flow, {})).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });

      await client.must('POST', `/flows/${flow}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });

      expect(await anyone.request('POST', `/forms/${flow}`, { name: 'Ada' })).toMatchObject({
        status: 404,
        body: { code: 'FLOW_DISABLED' },
      });
      const page = await browse(`/forms/${flow}`);
      expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('This form is closed')]);
    });
  });
});
