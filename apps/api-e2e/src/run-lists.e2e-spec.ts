import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

interface Listed {
  data: RunAnswer[];
  next: string | null;
  previous: string | null;
}

interface Failures {
  data: {
    flowId: string;
    flowDisplayName: string;
    stepName: string;
    fingerprint: string;
    message: string;
    count: number;
    firstSeen: string;
    lastSeen: string;
    lastRunId: string;
  }[];
}

interface Bucket {
  start: string;
  end: string;
  counts: Record<string, number>;
}

const THROW = 'export const code = async ({ n }) => { throw new Error(`Order ${n} is unknown`); };';
const UNKNOWN = '019a0000-0000-7000-8000-000000000000';

describe('lists of runs', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let good: string;
  let bad: string;
  /** The runs in order of creation: tagged, plain, failed, failed, tested. */
  let runs: RunAnswer[];
  let fingerprint: string;

  beforeAll(async () => {
    project = await client.createProject('Run lists');
    const steps = [
      builtInStep('mark', 'flow_control', 'add_tag', { name: '{{trigger.body.tag}}' }),
      builtInStep('mark_all', 'flow_control', 'add_tag', { name: 'all' }),
    ];
    good = (await client.publishFlow(project, 'Good', webhookTrigger(steps))).id;
    bad = (
      await client.publishFlow(project, 'Bad', webhookTrigger([codeStep('find', { n: '{{trigger.body.n}}' }, THROW)]))
    ).id;
    runs = [];
    for (const [flowId, body] of [
      [good, { tag: 'first' }],
      [good, { tag: 'second' }],
      [bad, { n: 1042 }],
      [bad, { n: 1043 }],
    ] as const)
      runs.push(await ended((await client.sendWebhook(flowId, body)).body.id));
    const tested = await client.must<{ id: string }>('POST', `/flows/${good}/test-run`, {
      payload: { body: { tag: 'first' } },
    });
    runs.push(await ended(tested.id));
    const { data } = await client.must<Failures>('GET', `/flow-runs/failures?projectId=${project}`);
    fingerprint = data[0]?.fingerprint ?? '';
  });

  const ended = (runId: string) => client.runOnce(runId, ({ finishTime }) => finishTime !== null);
  const list = (query = '') => client.request<Listed>('GET', `/flow-runs?projectId=${project}&limit=100${query}`);
  const idsIn = async (query: string) => (await list(query)).body.data.map(({ id }) => id);
  /** Returns the ids of these runs, newest first, as lists are sorted. */
  const idsOf = (...indexes: number[]) => indexes.map((index) => runs[index]?.id).reverse();
  const histogram = async (query: string) =>
    (await client.must<{ data: Bucket[] }>('GET', `/flow-runs/histogram?projectId=${project}${query}`)).data;
  const sum = (buckets: readonly Bucket[]) =>
    buckets.flatMap(({ counts }) => Object.values(counts)).reduce((all, count) => all + count, 0);
  const made = (index: number) => runs[index]?.created ?? '';

  it('show runs without their steps, newest first', async () => {
    const { body } = await list();
    expect(body.data.map(({ id }) => id)).toEqual(idsOf(0, 1, 2, 3, 4));
    for (const run of body.data) expect(run).not.toHaveProperty('steps');
  });

  it.each<[string, () => string, number[]]>([
    ['one flow', () => `&flowId=${bad}`, [2, 3]],
    ['an unknown flow', () => `&flowId=${UNKNOWN}`, []],
    ['a flow whose id is none', () => '&flowId=nope', []],
    ['one status', () => '&status=FAILED', [2, 3]],
    ['several statuses', () => '&status=FAILED&status=SUCCEEDED', [0, 1, 2, 3, 4]],
    ['several statuses, with brackets', () => '&status[]=FAILED&status[]=TIMEOUT', [2, 3]],
    ['several statuses, with indexes', () => '&status[0]=STOPPED&status[1]=FAILED', [2, 3]],
    ['a tag', () => '&tags=first', [0, 4]],
    ['all of several tags', () => '&tags=second&tags=all', [1]],
    ['tags that no run has together', () => '&tags[]=first&tags[]=second', []],
    ['the step that failed', () => '&failedStepName=find', [2, 3]],
    ['the fingerprint of the message', () => `&fingerprint=${fingerprint}`, [2, 3]],
    ['a fingerprint that no message has', () => '&fingerprint=0', []],
    ['what paused runs wait for', () => '&waitingOn=human', []],
    ['a step that never failed', () => '&failedStepName=mark', []],
    ['the environment of tests', () => '&environment=TESTING', [4]],
    ['the environment of events', () => '&environment=PRODUCTION', [0, 1, 2, 3]],
    ['ids', () => `&flowRunIds=${runs[1]?.id}&flowRunIds=${runs[3]?.id}&flowRunIds=${UNKNOWN}&flowRunIds=x`, [1, 3]],
    ['one id', () => `&flowRunIds[]=${runs[0]?.id}`, [0]],
    ['no id that there is', () => `&flowRunIds=${UNKNOWN}`, []],
    ['a time of creation', () => `&createdAfter=${made(1)}&createdBefore=${made(3)}`, [1, 2]],
    ['a time in another zone', () => `&createdBefore=${encodeURIComponent('2001-01-01T00:00:00+02:00')}`, []],
    ['a day', () => '&createdAfter=2001-01-01', [0, 1, 2, 3, 4]],
    ['much at once', () => `&flowId=${good}&tags=all&tags=first&environment=PRODUCTION&createdBefore=${made(1)}`, [0]],
  ])('are filtered by %s', async (_, query, expected) => {
    expect(await idsIn(query())).toEqual(idsOf(...expected));
    const { count } = await client.must<{ count: number }>('GET', `/flow-runs/count?projectId=${project}${query()}`);
    expect(count).toBe(expected.length);
    expect(sum(await histogram(query()))).toBe(expected.length);
  });

  it('are counted state by state, all eight of them', async () => {
    expect((await client.request('GET', `/flow-runs/count-by-status?projectId=${project}`)).body).toEqual({
      RUNNING: 0,
      PAUSED: 0,
      SUCCEEDED: 3,
      FAILED: 2,
      TIMEOUT: 0,
      STOPPED: 0,
      QUOTA_EXCEEDED: 0,
      INTERNAL_ERROR: 0,
    });
    const tagged = await client.must<object>('GET', `/flow-runs/count-by-status?projectId=${project}&tags=second`);
    expect(tagged).toMatchObject({ SUCCEEDED: 1, FAILED: 0 });
  });

  it('are counted by time, in buckets of one width without gaps', async () => {
    const buckets = await histogram(`&buckets=10&createdAfter=${made(0)}`);

    expect(buckets.length).toBeGreaterThan(0);
    expect(buckets.length).toBeLessThanOrEqual(10);
    const widths = buckets.map(({ start, end }) => Date.parse(end) - Date.parse(start));
    expect(new Set(widths).size).toBe(1);
    expect(buckets.slice(1).map(({ start }) => start)).toEqual(buckets.slice(0, -1).map(({ end }) => end));
    const failed = (at: string) => buckets.find(({ start, end }) => start <= at && at < end)?.counts['FAILED'];
    expect(failed(made(2))).toBeGreaterThan(0);
  });

  it.each(['0', '101', 'x', ''])('are not counted in %j buckets', async (buckets) => {
    expect(await client.request('GET', `/flow-runs/histogram?projectId=${project}&buckets=${buckets}`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION' },
    });
  });

  it.each([
    '&environment=LIVE',
    '&includeArchived=yes',
    '&includeArchived=',
    '&createdAfter=yesterday',
    '&createdAfter=2026-02-30',
    '&createdBefore=1769846400000',
    '&createdBefore=',
    '&createdAfter=2026-01-01&createdAfter=2026-01-02',
    '&createdAfter[$gt]=',
    '&failedStepName=a&failedStepName=b',
    '&waitingOn=worker',
    '&excludeFlowRunIds=x',
    `&${Array.from({ length: 101 }, () => 'tags=a').join('&')}`,
    `&${Array.from({ length: 101 }, () => `flowRunIds=${UNKNOWN}`).join('&')}`,
  ])('are refused with %.40s, counts too', async (query) => {
    for (const path of ['/flow-runs', '/flow-runs/count', '/flow-runs/count-by-status', '/flow-runs/histogram'])
      expect(await client.request('GET', `${path}?projectId=${project}${query}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION' },
      });
  });

  it('are summed up for each flow, tests left out', async () => {
    const query = `projectId=${project}&flowIds=${bad}&flowIds=${UNKNOWN}&flowIds=${good}&createdAfter=${made(1)}`;
    const last = ({ id, created, status, finishTime }: RunAnswer) => ({ id, created, status, finishTime });

    expect(await client.must('GET', `/flow-runs/summary?${query}`)).toEqual({
      data: [
        { flowId: bad, lastRun: last(runs[3] as RunAnswer), runs: 2, failed: 2 },
        { flowId: UNKNOWN, lastRun: null, runs: 0, failed: 0 },
        { flowId: good, lastRun: last(runs[1] as RunAnswer), runs: 1, failed: 0 },
      ],
    });
  });

  it.each(['', '&createdAfter=2026-01-01', '&flowIds=x&createdAfter=yesterday'])(
    'are not summed up with %j alone',
    async (query) => {
      expect(await client.request('GET', `/flow-runs/summary?projectId=${project}${query}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION' },
      });
    },
  );

  describe('page by page', () => {
    it('skip and repeat nothing while runs are added, and lead back', async () => {
      const page = (query: string) =>
        client.must<Listed>('GET', `/flow-runs?projectId=${project}&limit=2&environment=PRODUCTION${query}`);
      const first = await page('');
      const added = await ended((await client.sendWebhook(good, { tag: 'late' })).body.id);
      const second = await page(`&cursor=${first.next}`);

      expect(first.previous).toBeNull();
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(idsOf(0, 1, 2, 3));
      expect(second.next).toBeNull();
      expect((await page(`&cursor=${second.previous}`)).data.map(({ id }) => id)).toEqual(idsOf(2, 3));
      await client.must('POST', '/flow-runs/archive', { projectId: project, flowRunIds: [added.id] });
    });

    it('refuse a cursor of other filters', async () => {
      const { next } = await client.must<Listed>('GET', `/flow-runs?projectId=${project}&limit=1&status=FAILED`);
      expect(next).not.toBeNull();
      const other = `/flow-runs?projectId=${project}&limit=1&status=SUCCEEDED&cursor=${next}`;
      expect(await client.request('GET', other)).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    });
  });

  describe('of failures', () => {
    const failures = (query = '') =>
      client.request<Failures>('GET', `/flow-runs/failures?projectId=${project}${query}`);

    it('put together what failed alike', async () => {
      const { body } = await failures();
      expect(body.data).toEqual([
        expect.objectContaining({
          flowId: bad,
          flowDisplayName: 'Bad',
          stepName: 'find',
          stepDisplayName: 'find',
          message: expect.stringContaining('Order 1043 is unknown') as string,
          count: 2,
          lastRunId: runs[3]?.id,
        }),
      ]);
      expect(body.data[0]?.fingerprint).toMatch(/\S/);
      expect(Date.parse(body.data[0]?.firstSeen ?? '')).toBeLessThan(Date.parse(body.data[0]?.lastSeen ?? ''));
    });

    it('are filtered', async () => {
      expect((await failures(`&flowId=${good}`)).body.data).toEqual([]);
      expect((await failures(`&createdBefore=${made(2)}`)).body.data).toEqual([]);
      expect((await failures(`&createdAfter=${made(3)}&limit=1`)).body.data).toMatchObject([{ count: 1 }]);
    });

    it.each(['&limit=0', '&limit=101', '&status=FAILED', '&cursor=x', '&createdAfter=x'])(
      'are refused with %s',
      async (query) => expect((await failures(query)).status).toBe(400),
    );
  });

  it('are nobody’s but the project’s', async () => {
    const other = await client.createProject('Strangers');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const stranger = client.withToken(key.value);
    for (const path of ['', '/count', '/count-by-status', '/histogram', '/failures'])
      expect(await stranger.request('GET', `/flow-runs${path}?projectId=${project}`)).toMatchObject({
        status: 403,
        body: { code: 'AUTHORIZATION' },
      });
    const ids = runs.map(({ id }) => `&flowRunIds=${id}`).join('');
    expect((await stranger.request<Listed>('GET', `/flow-runs?projectId=${other}${ids}`)).body.data).toEqual([]);
  });
});
