import { anId, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

interface FileAnswer {
  id: string;
  url: string;
  name: string;
  bytes: number;
}
interface LinkAnswer {
  url: string;
  expires: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const MEGABYTE = 1024 * 1024;

describe('files', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let stranger: ServiceClient;

  beforeAll(async () => {
    project = await client.createProject('Files');
    const other = await client.createProject('Other files');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    stranger = client.withToken(key.value);
  });

  const upload = (content: string, query = '', headers: Record<string, string> = { 'content-type': 'text/csv' }) =>
    client.request<FileAnswer>('POST', `/files?projectId=${project}${query}`, content, headers);
  const uploaded = async (content = 'order,amount\n') => (await upload(content, '&name=orders.csv')).body;
  /** Requests a file as a browser does: without credentials, unless a token is given. */
  const get = (url: string, token?: string) =>
    fetch(url.startsWith('http') ? url : `${service.baseUrl}/api/v1${url}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });

  it('are kept as they were sent, and given to whoever has the link', async () => {
    const made = await upload('order,amount\n', `&name=${encodeURIComponent('Größe.csv')}`);

    expect(made).toMatchObject({
      status: 201,
      body: { projectId: project, type: 'FILE', name: 'Größe.csv', contentType: 'text/csv', bytes: 13, runId: null },
    });
    const answer = await get(made.body.url);
    expect(await answer.text()).toBe('order,amount\n');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '13',
      'content-disposition': `attachment; filename="Gr__e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${made.body.id}"`,
    });
  });

  it.each([
    ['JSON', 'application/json', '{"not": "looked at"'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=2'],
    ['a page', 'text/html', '<script>alert(1)</script>'],
  ])('may be %s, which stays as it is', async (_what, type, content) => {
    const { body } = await upload(content, '', { 'content-type': type });

    const answer = await get(body.url);

    expect(await answer.text()).toBe(content);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="file"/);
  });

  it('may have 25 MB of any bytes, and not one more', async () => {
    const send = (bytes: number) =>
      fetch(`${service.baseUrl}/api/v1/files?projectId=${project}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.adminApiKey}` },
        body: new Uint8Array(bytes).map((_, at) => at % 251),
      });

    const made = (await (await send(25 * MEGABYTE)).json()) as FileAnswer;
    const read = new Uint8Array(await (await get(made.url)).arrayBuffer());
    expect(made.bytes).toBe(25 * MEGABYTE);
    expect(read.length).toBe(25 * MEGABYTE);
    expect(read.every((byte, at) => byte === at % 251)).toBe(true);

    const refused = await send(25 * MEGABYTE + 1);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', params: { limitBytes: 25 * MEGABYTE } });
  });

  it.each<[string, string, string, object]>([
    ['an empty body', '', '', { path: '' }],
    ['a name with a path in it', 'x', '&name=..%2Fsecret', { path: '/name' }],
    ['a type that only the service makes', 'x', '&type=PACKAGE_ARCHIVE', { path: '/type' }],
    ['an unknown parameter', 'x', '&folder=y', { path: '/folder' }],
  ])('are refused with %s', async (_what, content, query, problem) => {
    const answer = await upload(content, query);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION', params: { errors: [problem] } } });
  });

  it('are kept once for one Idempotency-Key', async () => {
    const headers = { 'content-type': 'text/plain', 'idempotency-key': anId() };
    const first = await upload('one', '', headers);

    expect(await upload('one', '', headers)).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(await upload('two', '', headers)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('are unknown with their project deleted, also by link and to administrators of the platform', async () => {
    const projectId = await client.createProject('Files to delete');
    const { body } = await client.request<FileAnswer>('POST', `/files?projectId=${projectId}`, 'x', {
      'content-type': 'text/plain',
    });
    const answers = async () => [
      await get(body.url),
      await get(`/files/${body.id}`, service.adminApiKey),
      await client.request('POST', `/files/${body.id}/link`, {}),
    ];
    expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200]);

    await client.must('DELETE', `/projects/${projectId}`);

    const [byLink, byId, link] = await answers();
    const unknown = { code: 'ENTITY_NOT_FOUND', params: { entityType: 'file', entityId: body.id } };
    expect(await (byLink as Response).json()).toMatchObject(unknown);
    expect(await (byId as Response).json()).toMatchObject(unknown);
    expect(link).toMatchObject({ status: 404, body: unknown });
  });

  it('are read with credentials of their project, and with no others', async () => {
    const { id } = await uploaded();

    expect((await get(`/files/${id}`, service.adminApiKey)).status).toBe(200);
    expect(await client.withToken(null).request('GET', `/files/${id}`)).toMatchObject({
      status: 401,
      body: { code: 'AUTHENTICATION' },
    });
    const unknown = { status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'file', entityId: id } } };
    expect(await stranger.request('GET', `/files/${id}`)).toMatchObject(unknown);
    expect(await stranger.request('POST', `/files/${id}/link`)).toMatchObject(unknown);
    expect(await stranger.request('POST', `/files?projectId=${project}`, 'x', { 'content-type': 'a/b' })).toMatchObject(
      { status: 403, body: { code: 'AUTHORIZATION' } },
    );
  });

  it.each([anId(), 'no-id'])('are unknown by the id %j', async (id) => {
    const unknown = { status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'file', entityId: id } } };
    expect(await client.request('GET', `/files/${id}`)).toMatchObject(unknown);
    expect(await client.request('POST', `/files/${id}/link`)).toMatchObject(unknown);
  });

  it('have links that hold for 7 days', async () => {
    const { id } = await uploaded();

    const { url, expires } = await client.must<LinkAnswer>('POST', `/files/${id}/link`);

    expect(Math.abs(Date.parse(expires) - Date.now() - 7 * DAY_MS)).toBeLessThan(60_000);
    expect(await (await get(url)).text()).toBe('order,amount\n');
  });

  it('are not shown by a link that was changed, or is of another file', async () => {
    const [one, other] = [await uploaded(), await uploaded('secret')];
    const { search } = new URL(one.url);
    const longer = search.replace(/expires=\d+/, 'expires=99999999999');
    const refused = { status: 401, body: { code: 'AUTHENTICATION' } };

    for (const path of [
      `${other.id}${search}`,
      `${one.id}${longer}`,
      `${one.id}?expires=1&signature=x`,
      `${one.id}?signature=x`,
    ])
      expect(await client.request('GET', `/files/${path}`)).toMatchObject(refused);
  });

  it('are deleted by their ids, together', async () => {
    const files = [await uploaded(), await uploaded(), await uploaded()];
    const [first, second, third] = files.map(({ id }) => id);
    const remove = (who: ServiceClient, ids: unknown) => who.request('DELETE', '/files', { ids });

    expect((await remove(stranger, [first])).status).toBe(204);
    expect((await remove(client, [first, second, anId(), 'no-id'])).status).toBe(204);

    const statuses = await Promise.all([first, second, third].map((id) => get(`/files/${id}`, service.adminApiKey)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 200]);
    expect((await get(files[0]?.url ?? '')).status).toBe(404);
  });

  it.each([[[]], [Array.from({ length: 101 }, () => anId())], [[1]], ['all'], [undefined]])(
    'are not deleted by such a list of ids (%#)',
    async (ids) => {
      const answer = await client.request<{ code: string; params: { errors: { path: string }[] } }>(
        'DELETE',
        '/files',
        {
          ids,
        },
      );
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
      expect(new Set(answer.body.params.errors.map(({ path }) => path))).toEqual(new Set(['/ids']));
    },
  );

  describe('of runs', () => {
    const large = `export const code = async () => ({ text: 'ü'.repeat(700_000), end: 'here' })`;
    const speaking = `export const code = async () => { console.log('Hello.'); return { n: 1 }; }`;
    let run: RunAnswer;

    beforeAll(async () => {
      const steps = [codeStep('speaks', {}, speaking), codeStep('large', {}, large)];
      const flow = await client.publishFlow(project, 'Outputs', webhookTrigger(steps));
      run = await client.endedRun((await client.sendWebhook(flow.id, {})).body.id);
    });

    it('are their logs, line by line', async () => {
      expect(run).toMatchObject({ status: 'SUCCEEDED', logsFileId: run.id });

      const answer = await get(`/files/${run.logsFileId}`, service.adminApiKey);

      expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
      const lines = (await answer.text()).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { run: { id: run.id, projectId: project, status: 'SUCCEEDED' } },
        { step: 'speaks', status: 'SUCCEEDED', logs: ['Hello.'], output: { n: 1 } },
        { step: 'large', status: 'SUCCEEDED', outputFile: { bytes: expect.any(Number) as number } },
      ]);
    });

    it('are shown by a link, and to nobody else', async () => {
      const { url } = await client.must<LinkAnswer>('POST', `/files/${run.id}/link`);

      expect((await (await get(url)).text()).startsWith(`{"run":{"id":"${run.id}"`)).toBe(true);
      expect((await stranger.request('GET', `/files/${run.id}`)).status).toBe(404);
      expect((await client.withToken(null).request('GET', `/files/${run.id}`)).status).toBe(401);
    });

    it('hold the outputs that are too large for a run, which has links to them', async () => {
      const step = run.steps?.['large'] as unknown as { output: unknown; outputFile: FileAnswer };
      expect(step.output).toBeNull();
      expect(step.outputFile.bytes).toBeGreaterThan(1_400_000);

      const answer = await get(step.outputFile.url);

      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.json()).toEqual({ text: 'ü'.repeat(700_000), end: 'here' });
    });
  });
});
