import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

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
});
