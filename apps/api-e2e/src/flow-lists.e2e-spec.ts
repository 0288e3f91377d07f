import { codeStep, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface FlowInList {
  id: string;
  externalId: string;
  status: string;
  version: { displayName: string; valid: boolean };
}
interface PageAnswer {
  data: FlowInList[];
  next: string | null;
  previous: string | null;
}

describe('lists of flows', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let folderId: string;
  /** The ids of the flows, by display name. */
  const ids: Record<string, string> = {};

  const create = async (displayName: string, more: object = {}): Promise<string> => {
    const body = { displayName, projectId: project, ...more };
    return (ids[displayName] = (await client.must<{ id: string }>('POST', '/flows', body)).id);
  };
  const list = (query: string) => client.must<PageAnswer>('GET', `/flows?projectId=${project}${query}`);
  const namesOf = ({ data }: PageAnswer): string[] => data.map(({ version }) => version.displayName);
  const namesIn = async (query: string): Promise<string[]> => namesOf(await list(`&limit=100${query}`)).sort();

  beforeAll(async () => {
    project = await client.createProject('Lists');
    folderId = (await client.must<{ id: string }>('POST', '/folders', { displayName: 'F', projectId: project })).id;
    await create('draft');
    await create('100%_sure', { folderId, externalId: 'ext-1' });
    await create('Größe ÄÖ', { externalId: 'ext,2' });
    ids['live'] = (await client.publishFlow(project, 'live', webhookTrigger([codeStep('a')]))).id;
    ids['edited'] = (await client.publishFlow(project, 'edited', webhookTrigger([codeStep('a')]))).id;
    await client.importFlow(ids['edited'], 'edited', webhookTrigger());
    await create('connected');
    await client.importFlow(
      ids['connected'] ?? '',
      'connected',
      webhookTrigger([
        codeStep('uses', { auth: "{{connections['crm-main']}}", other: '{{ connections.mail.token }}' }),
        pieceStep('agent', { agentId: 'agent-7' }),
      ]),
    );
  });

  it('show each flow with its latest version, without the steps', async () => {
    const { data } = await list('&name=live');

    expect(data).toEqual([
      expect.objectContaining({
        id: ids['live'],
        projectId: project,
        externalId: ids['live'],
        status: 'ENABLED',
        created: expect.any(String),
        updated: expect.any(String),
        ownerName: expect.any(String),
        version: expect.objectContaining({
          displayName: 'live',
          valid: true,
          state: 'LOCKED',
          updatedByName: expect.any(String),
          triggerType: 'WEBHOOK',
          pieceNames: expect.arrayContaining(['webhook']),
          stepsCount: expect.any(Number),
        }),
      }),
    ]);
    expect(data[0]?.version).not.toHaveProperty('trigger');
  });

  const all = ['100%_sure', 'Größe ÄÖ', 'connected', 'draft', 'edited', 'live'];
  it.each([
    ['nothing', '', all],
    ['an empty name', '&name=', all],
    ['one status', '&status=ENABLED', ['edited', 'live']],
    ['several statuses', '&status=ENABLED&status=DISABLED', all],
    ['statuses with brackets', '&status[]=ENABLED&status[]=DISABLED', all],
    ['statuses with indexes', '&status[0]=ENABLED', ['edited', 'live']],
    ['part of a name in another case', '&name=RAF', ['draft']],
    ['letters beyond ASCII in another case', `&name=${encodeURIComponent('GRÖSSE'.replace('SS', 'ß'))}`, ['Größe ÄÖ']],
    ['a percent sign, which is a letter', '&name=%25', ['100%_sure']],
    ['an underscore, which is a letter', '&name=_', ['100%_sure']],
    ['a backslash, which is a letter', '&name=%5C', []],
    ['a quotation mark', "&name='", []],
    ['drafts', '&versionState=DRAFT', ['100%_sure', 'Größe ÄÖ', 'connected', 'draft', 'edited']],
    ['locked versions', '&versionState=LOCKED', ['live']],
    ['external ids', '&externalIds=ext-1&externalIds=nope', ['100%_sure']],
    ['an external id with a comma, which does not split', '&externalIds=ext,2', ['Größe ÄÖ']],
    ['a connection', '&connectionExternalIds=crm-main', ['connected']],
    ['any of several connections', '&connectionExternalIds[]=mail&connectionExternalIds[]=x', ['connected']],
    ['a connection that no flow uses', '&connectionExternalIds=crm', []],
    ['an agent', '&agentExternalIds=agent-7', ['connected']],
    ['no folder', '&folderId=NULL', all.filter((name) => name !== '100%_sure')],
    ['an unknown folder', '&folderId=nope', []],
    ['filters together', '&status=DISABLED&versionState=DRAFT&name=o', ['connected']],
  ])('filter by %s', async (_what, query, names) => expect(await namesIn(query)).toEqual([...names].sort()));

  it('filter by folder', async () => expect(await namesIn(`&folderId=${folderId}`)).toEqual(['100%_sure']));

  it('count', async () => {
    const count = (query: string) => client.must('GET', `/flows/count?projectId=${project}${query}`);

    expect(await count('')).toEqual({ count: 6 });
    expect(await count(`&folderId=${folderId}`)).toEqual({ count: 1 });
    expect(await count('&folderId=NULL')).toEqual({ count: 5 });
    expect(await count('&folderId=nope')).toEqual({ count: 0 });
  });

  it('turn pages both ways, newest first, without repeating or hiding anything while flows are made', async () => {
    const pages = await client.createProject('Pages');
    const make = (displayName: string) => client.must('POST', '/flows', { displayName, projectId: pages });
    for (let n = 1; n <= 5; n++) await make(`flow ${n}`);
    const page = (cursor: string | null) =>
      client.must<PageAnswer>('GET', `/flows?projectId=${pages}&limit=2${cursor ? `&cursor=${cursor}` : ''}`);

    const first = await page(null);
    expect([namesOf(first), first.previous]).toEqual([['flow 5', 'flow 4'], null]);
    await make('flow 6');
    const second = await page(first.next);
    expect(namesOf(second)).toEqual(['flow 3', 'flow 2']);
    const third = await page(second.next);
    expect([namesOf(third), third.next]).toEqual([['flow 1'], null]);
    const back = await page(third.previous);
    expect(namesOf(back)).toEqual(['flow 3', 'flow 2']);
    expect(namesOf(await page(back.previous))).toEqual(['flow 5', 'flow 4']);
  });

  it('take ten unless told otherwise', async () => {
    const ten = await client.createProject('Ten');
    for (let n = 0; n < 11; n++) await client.createFlow(ten, `flow ${n}`);
    const { data, next } = await client.must<PageAnswer>('GET', `/flows?projectId=${ten}`);
    expect([data.length, next]).toEqual([10, expect.any(String)]);
  });

  it('refuse a cursor of other filters, and an altered one', async () => {
    const { next } = await list('&limit=1');
    const ofOthers = await client.request('GET', `/flows?projectId=${project}&status=ENABLED&limit=1&cursor=${next}`);
    const altered = await client.request('GET', `/flows?projectId=${project}&limit=1&cursor=${next}x`);

    for (const answer of [ofOthers, altered])
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path: '/cursor' }] } },
      });
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=ten', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['status=enabled', '/status'],
    ['status[a]=ENABLED', '/status[a]'],
    ['versionState=NEW', '/versionState'],
    ['name=a&name=b', '/name'],
    ['cursor=nope', '/cursor'],
    ['colour=red', '/colour'],
    ['toString=1', '/toString'],
    ['__proto__=1', '/__proto__'],
    [Array.from({ length: 101 }, (_, n) => `externalIds=${n}`).join('&'), '/externalIds'],
  ])('refuse %.40s', async (query, path) => {
    const answer = await client.request<{ params: { errors: unknown[] } }>(
      'GET',
      `/flows?projectId=${project}&${query}`,
    );
    expect(answer.status).toBe(400);
    expect(answer.body.params.errors).toContainEqual(expect.objectContaining({ path }));
  });

  it('need a project named, also by a key that is bound to one', async () => {
    const { value } = await client.must<{ value: string }>('POST', '/api-keys', {
      displayName: 'K',
      projectId: project,
    });
    const bound = client.withToken(value);
    for (const caller of [client, bound])
      expect(await caller.request('GET', '/flows')).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect((await bound.must<PageAnswer>('GET', `/flows?projectId=${project}&limit=100`)).data).toHaveLength(6);
    const foreign = await client.createProject('Foreign');
    expect(await bound.request('GET', `/flows?projectId=${foreign}`)).toMatchObject({
      status: 403,
      body: { code: 'AUTHORIZATION' },
    });
  });

  it('have the same pages in whatever order a filter names its values', async () => {
    const { next } = await list('&status=ENABLED&status=DISABLED&limit=1');
    const { data } = await list(`&status[]=DISABLED&status[]=ENABLED&limit=1&cursor=${next}`);
    expect(data).toHaveLength(1);
  });
});
