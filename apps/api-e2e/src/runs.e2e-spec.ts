import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

const UNKNOWN = '019a0000-0000-7000-8000-000000000000';
const SLEEP = 'export const code = async () => { await sleep(60_000); };';

describe('flow runs', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Runs');
  });

  const list = (query: string) => client.request('GET', `/flow-runs?projectId=${project}${query}`);

  it('of a new project are an empty page', async () => {
    expect(await list('')).toMatchObject({ status: 200, body: { data: [], next: null, previous: null } });
  });

  it.each([
    '&status=FAILED&status=RUNNING',
    '&status[]=FAILED&status[]=RUNNING',
    '&status[0]=FAILED',
    '&status=FAILED',
  ])('are filtered by %s', async (query) => expect((await list(query)).status).toBe(200));

  it.each([
    '&status=DONE',
    '&status=FAILED,RUNNING',
    '&status[a]=FAILED',
    '&limit=0',
    '&limit=101',
    '&limit=1.5',
    '&limit=NaN',
    '&limit=',
    '&limit[a]=1',
    '&cursor=garbage',
    '&cursor=a&cursor=b',
    '&colour=red',
    `&${Array.from({ length: 101 }, () => 'status=FAILED').join('&')}`,
  ])('are refused with %.30s', async (query) =>
    expect(await list(query)).toMatchObject({ status: 400, body: { code: 'VALIDATION' } }),
  );

  it('need a project named', async () => {
    expect((await client.request('GET', '/flow-runs')).status).toBe(400);
  });

  it.each(['nope', '%2A', '%F0%9F%98%80', '019a0000-0000-7000-8000-000000000000'])(
    'are unknown under the id %s',
    async (id) =>
      expect((await client.request('GET', `/flow-runs/${id}`)).body).toMatchObject({
        code: 'ENTITY_NOT_FOUND',
        params: { entityType: 'flow_run' },
      }),
  );

  it('are not mistaken for what stands beside them', async () => {
    for (const path of ['count', 'count-by-status', 'failures'])
      expect((await client.request('GET', `/flow-runs/${path}?projectId=${project}`)).status).toBe(200);
  });
});

describe('bulk calls', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let waiting: string;
  let quick: string;
  let failing: string;

  beforeEach(async () => {
    project = await client.createProject('Bulk');
    const publish = async (name: string, ...steps: Parameters<typeof webhookTrigger>[0] & object) =>
      (await client.publishFlow(project, name, webhookTrigger(steps))).id;
    waiting = await publish('Waiting', builtInStep('ask', 'approval', 'wait_for_approval'));
    quick = await publish('Quick', codeStep('echo'));
    failing = await publish(
      'Failing',
      codeStep('breaks', {}, "export const code = async () => { throw new Error('x'); };"),
    );
  });

  const start = async (flowId: string) => (await client.sendWebhook(flowId, {})).body.id;
  const paused = async () => (await client.pausedRun(await start(waiting))).id;
  const ended = async (flowId: string) => (await client.endedRun(await start(flowId))).id;
  const read = (runId: string) => client.must<RunAnswer>('GET', `/flow-runs/${runId}`);
  const statusOf = async (runId: string) => (await read(runId)).status;
  const bulk = (what: string, body: object = {}) =>
    client.request('POST', `/flow-runs/${what}`, { projectId: project, ...body });
  const keyOf = async (projectId: string) =>
    client.withToken(
      (await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId })).value,
    );
  const archivedIn = async (query = '') =>
    (await client.must<{ data: RunAnswer[] }>('GET', `/flow-runs?projectId=${project}${query}`)).data
      .filter(({ archivedAt }) => archivedAt !== null)
      .map(({ id }) => id);

  describe('to cancel', () => {
    it('stop every run that has not ended, and leave the others as they are', async () => {
      const [one, two, done] = [await paused(), await paused(), await ended(quick)];
      expect(await bulk('cancel', { dryRun: true })).toMatchObject({ status: 200, body: { cancelled: 2 } });
      expect(await statusOf(one)).toBe('PAUSED');

      expect(await bulk('cancel')).toMatchObject({ status: 200, body: { cancelled: 2 } });
      expect(await Promise.all([one, two, done].map(statusOf))).toEqual(['STOPPED', 'STOPPED', 'SUCCEEDED']);
      expect((await read(one)).finishTime).not.toBeNull();
      expect(await bulk('cancel')).toMatchObject({ body: { cancelled: 0 } });
    });

    it('stop a run that is executing', async () => {
      const { id } = await client.publishFlow(project, 'Slow', webhookTrigger([codeStep('sleeps', {}, SLEEP)]));
      const runId = await start(id);
      await client.runOnce(runId, ({ startTime }) => startTime !== null);
      expect(await bulk('cancel', { status: ['RUNNING'] })).toMatchObject({ body: { cancelled: 1 } });
      expect(await statusOf(runId)).toBe('STOPPED');
    });

    it.each<[string, (one: string, other: string) => object]>([
      ['the runs named, whatever else is said', (one) => ({ flowRunIds: [one], flowId: UNKNOWN, status: ['RUNNING'] })],
      ['all but those excluded', (_, other) => ({ excludeFlowRunIds: [other] })],
      ['a flow', () => ({ flowId: waiting, createdBefore: '2100-01-01' })],
    ])('stop %s', async (what, body) => {
      const [one, other] = [await paused(), await paused()];
      const all = what === 'a flow';
      expect(await bulk('cancel', body(one, other))).toMatchObject({ body: { cancelled: all ? 2 : 1 } });
      expect([await statusOf(one), await statusOf(other)]).toEqual(['STOPPED', all ? 'STOPPED' : 'PAUSED']);
    });

    it('stop nothing that no filter selects', async () => {
      const run = await paused();
      for (const body of [
        { flowRunIds: [] },
        { flowRunIds: ['r1', UNKNOWN] },
        { flowId: UNKNOWN },
        { flowId: 'nope' },
        { status: ['RUNNING'] },
        { createdBefore: '2001-01-01' },
        { createdAfter: '2100-01-01' },
      ])
        expect(await bulk('cancel', body)).toMatchObject({ status: 200, body: { cancelled: 0 } });
      expect(await statusOf(run)).toBe('PAUSED');
    });
  });

  describe('to archive', () => {
    it('hide runs that have ended from lists, and keep them', async () => {
      const [done, failed, open] = [await ended(quick), await ended(failing), await paused()];
      expect(await bulk('archive', { dryRun: true })).toMatchObject({ status: 200, body: { archived: 2 } });
      expect(await bulk('archive')).toMatchObject({ status: 200, body: { archived: 2 } });

      const listed = await client.must<{ data: RunAnswer[] }>('GET', `/flow-runs?projectId=${project}`);
      expect(listed.data.map(({ id }) => id)).toEqual([open]);
      expect((await archivedIn('&includeArchived=true')).sort()).toEqual([done, failed].sort());
      expect((await read(done)).archivedAt).not.toBeNull();
      expect(await bulk('archive')).toMatchObject({ body: { archived: 0 } });
    });

    it.each<[string, () => object]>([
      ['a status', () => ({ status: ['FAILED'] })],
      ['the step that failed', () => ({ failedStepName: 'breaks' })],
      ['a flow', () => ({ flowId: failing })],
    ])('take the runs of %s', async (_, body) => {
      await ended(quick);
      const failed = await ended(failing);
      expect(await bulk('archive', body())).toMatchObject({ body: { archived: 1 } });
      expect(await archivedIn('&includeArchived=true')).toEqual([failed]);
    });
  });

  it.each<[string, object, string]>([
    ['cancel', { status: ['SUCCEEDED'] }, '/status'],
    ['cancel', { status: [] }, '/status'],
    ['cancel', { status: 'PAUSED' }, '/status'],
    ['cancel', { failedStepName: 'x' }, '/failedStepName'],
    ['archive', { status: ['RUNNING'] }, '/status'],
    ['archive', { status: null }, '/status'],
    ['archive', { flowRunIds: null }, '/flowRunIds'],
    ['archive', { flowRunIds: 'x' }, '/flowRunIds'],
    ['archive', { flowRunIds: [1] }, '/flowRunIds'],
    ['archive', { excludeFlowRunIds: { length: 1 } }, '/excludeFlowRunIds'],
    ['archive', { createdAfter: 'yesterday' }, '/createdAfter'],
    ['archive', { dryRun: 'true' }, '/dryRun'],
    ['archive', { everything: true }, '/everything'],
  ])('to %s are refused with %j', async (what, body, path) => {
    expect(await bulk(what, body)).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION',
        params: { errors: expect.arrayContaining([expect.objectContaining({ path })]) as object },
      },
    });
  });

  it('name at most 10,000 runs', async () => {
    const ids = (length: number) => ({ flowRunIds: Array.from({ length }, () => UNKNOWN), dryRun: true });
    expect(await bulk('cancel', ids(10_000))).toMatchObject({ status: 200, body: { cancelled: 0 } });
    const refused = await bulk('cancel', ids(10_001));
    expect(refused).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/flowRunIds' }] } } });
    expect(JSON.stringify(refused.body)).toContain('at most 10000');
  });

  it('touch one project only, which who has several must name', async () => {
    const run = await paused();
    expect(await client.request('POST', '/flow-runs/cancel', {})).toMatchObject({ status: 400 });
    const stranger = await keyOf(await client.createProject('Strangers'));
    const done = await ended(quick);
    for (const what of ['cancel', 'archive'])
      expect(await stranger.request('POST', `/flow-runs/${what}`, { flowRunIds: [run, done] })).toMatchObject({
        status: 200,
        body: what === 'cancel' ? { cancelled: 0 } : { archived: 0 },
      });
    expect((await read(done)).archivedAt).toBeNull();
    expect(await stranger.request('POST', '/flow-runs/cancel', { projectId: project })).toMatchObject({ status: 403 });
    expect(await statusOf(run)).toBe('PAUSED');
    expect(await (await keyOf(project)).request('POST', '/flow-runs/cancel', {})).toMatchObject({
      body: { cancelled: 1 },
    });
  });
});
