import { OutboundFailure } from '@millrace/domain';
import { anId, builtInTrigger } from '@millrace/domain/testing';
import { BuiltInPieces } from '../built-in-pieces';
import { TriggerHookHost } from '../host/trigger-hook-host';
import { PollHostUnderTest } from '../testing/a-poll-host';
import { anAnswer } from '../testing/recording-http';

const TRIGGER = 'polling.new_item_in_json';
const INPUT = { url: 'https://api.test/rows', itemsPath: 'data.rows', idPath: 'id' };

let subject: PollHostUnderTest;
beforeEach(() => (subject = new PollHostUnderTest()));

const read = (body: unknown, input: Record<string, unknown> = {}) =>
  subject.items(TRIGGER, { ...INPUT, ...input }, { body: JSON.stringify(body) });
const fail = (body: string, input: Record<string, unknown> = {}) =>
  subject.failure(TRIGGER, { ...INPUT, ...input }, { body });

describe('polling.new_item_in_json', () => {
  it('gives the items of the list, oldest first, with their ids', async () => {
    expect(await read({ data: { rows: [{ id: 2, a: 'b' }, { id: 'one' }] } })).toEqual([
      { name: 'one', value: { id: 'one' } },
      { name: '2', value: { id: 2, a: 'b' } },
    ]);
  });

  it('leaves the order of a list whose oldest item comes first', async () => {
    const items = await read({ data: { rows: [{ id: 1 }, { id: 2 }] } }, { order: 'oldest_first' });

    expect(items.map(({ name }) => name)).toEqual(['1', '2']);
  });

  it.each([
    [[1, 'a'], { itemsPath: '', idPath: '' }],
    [[1, 'a'], { itemsPath: '$', idPath: undefined }],
    [{ list: [[{ rows: [1, 'a'] }]] }, { itemsPath: 'list[0][0].rows', idPath: '$' }],
    [{ 'a.b': { "it's": [1, 'a'] } }, { itemsPath: `$["a.b"]['it\\'s']`, idPath: '' }],
  ])('finds the list in %j by %j', async (body, input) =>
    expect((await read(body, input)).map(({ value }) => value)).toEqual(['a', 1]),
  );

  it.each([
    [{ id: null }, 'id'],
    [{ id: '' }, 'id'],
    [{}, 'id'],
    ['text', 'id.deeper'],
    [null, 'id'],
    [{ id: 1 }, ''],
  ])('has no name for %j by the path %j', async (item, idPath) =>
    expect(await read({ data: { rows: [item] } }, { idPath })).toEqual([{ value: item }]),
  );

  it.each([
    [{ meta: { key: 7 } }, 'meta.key', '7'],
    [{ id: { a: 1 } }, 'id', '{"a":1}'],
    [{ id: false }, 'id', 'false'],
    [['x', 'y'], '[1]', 'y'],
  ])('names %j by the path %j', async (item, idPath, name) =>
    expect(await read({ data: { rows: [item] } }, { idPath })).toEqual([{ name, value: item }]),
  );

  it.each([
    ['{"data":', {}, 'The answer is no JSON.'],
    ['<html>', {}, 'The answer is no JSON.'],
    ['{}', {}, 'The path data.rows leads to no list in the answer.'],
    ['{"data":{"rows":{}}}', {}, 'The path data.rows leads to no list in the answer.'],
    ['{}', { itemsPath: '' }, 'The answer is no list.'],
    ['{"data":{"rows":{}}}', { itemsPath: 'constructor' }, 'The path constructor leads to no list in the answer.'],
    [`[${'1,'.repeat(10_000)}1]`, { itemsPath: '' }, 'The list has more than 10000 items.'],
    ['['.repeat(1_000) + ']'.repeat(1_000), {}, 'The answer nests more than 128 levels.'],
  ])('fails with a sentence for %.20s', async (body, input, message) => expect(await fail(body, input)).toBe(message));

  it('sends the headers and the credentials of the author', async () => {
    subject.values.set('key', 'secret-token');
    const auth = { authType: 'bearer', authFields: { token: "{{connections['key']}}" } };

    await read({ data: { rows: [] } }, { headers: { Accept: 'text/json' }, ...auth });

    expect(subject.http.last).toEqual({
      method: 'GET',
      url: INPUT.url,
      headers: { Accept: 'text/json', Authorization: 'Bearer secret-token' },
      timeoutMs: 30_000,
      maxAnswerBytes: 10 * 1024 * 1024,
      projectId: 'project_1',
      signal: expect.any(AbortSignal),
    });
  });

  it('asks only for changes once it has an answer', async () => {
    const answered = { etag: 'W/"1"', 'last-modified': 'Tue, 10 Jun 2003 04:00:00 GMT' };
    await subject.items(TRIGGER, INPUT, { body: '{"data":{"rows":[]}}', headers: answered });

    expect(await subject.items(TRIGGER, INPUT, { status: 304 })).toEqual([]);
    expect(subject.http.last.headers).toEqual({
      'if-none-match': 'W/"1"',
      'if-modified-since': 'Tue, 10 Jun 2003 04:00:00 GMT',
    });
    expect(subject.last.store).toEqual({ etag: 'W/"1"', lastModified: 'Tue, 10 Jun 2003 04:00:00 GMT' });
  });

  it('does not remember an answer that it could not read, or one of another source', async () => {
    await subject.failure(TRIGGER, INPUT, { body: 'no JSON', headers: { etag: '"1"' } });
    await read({ data: { rows: [] } });
    expect(subject.http.last.headers).toEqual({});

    await subject.items(TRIGGER, INPUT, { body: '{"data":{"rows":[]}}', headers: { etag: '"2"' } });
    const { source } = subject.last;
    await subject.items(TRIGGER, { ...INPUT, url: 'https://api.test/others' });
    expect(subject.http.last.headers).toEqual({});
    expect(subject.last.source).not.toBe(source);
  });

  it('is the same source when only its credentials, headers or interval change', async () => {
    await read({ data: { rows: [] } });
    const { source } = subject.last;
    await read({ data: { rows: [] } }, { headers: { a: 'b' }, everyMinutes: 10 });

    expect(subject.last.source).toBe(source);
  });

  it('fails with the status of an answer that is no success, and says when to come back', async () => {
    const answer = { status: 503, body: 'Busy.', headers: { 'content-type': 'text/plain' }, retryAfterMs: 9_000 };
    subject.http.answer = () => Promise.resolve(anAnswer(answer));

    expect(await subject.ask(TRIGGER, INPUT)).toEqual({
      kind: 'failed',
      message: 'The server answered 503 Service Unavailable: Busy.',
      retryAfterMs: 9_000,
    });
    expect(await subject.failure(TRIGGER, INPUT, { status: 304 })).toBe('The server answered 304 Not Modified.');
  });

  it('fails with what kept the request from an answer', async () => {
    subject.http.answer = () => Promise.reject(new OutboundFailure('timeout', 'The server did not answer.'));

    expect(await subject.failure(TRIGGER, INPUT)).toBe('The server did not answer.');
  });

  it('never says the value of a connection', async () => {
    subject.values.set('login', { username: 'ann', password: 'top-secret' });
    const auth = { authType: 'basic', authFields: { username: 'ann', password: "{{connections['login'].password}}" } };

    const message = await subject.failure(
      TRIGGER,
      { ...INPUT, ...auth },
      { status: 401, body: 'not top-secret', headers: { 'content-type': 'text/plain' } },
    );

    expect(message).toBe('The server answered 401 Unauthorized: not **REDACTED**');
  });

  it('names the expression of a connection that does not exist', async () => {
    const auth = { authType: 'bearer', authFields: { token: "{{connections['gone']}}" } };

    expect(await subject.failure(TRIGGER, { ...INPUT, ...auth })).toBe(
      `The input "Token" (authFields.token) is required, and {{connections['gone']}} gave nothing.`,
    );
  });
});

describe('the secrets of polling.new_item_in_json', () => {
  const id = anId();
  const bearer = (token: string) => ({ authType: 'bearer', authFields: { token } });
  const entry = (name = 'new_item_in_json') => new BuiltInPieces().findTrigger('polling', '', name);

  it('are sent, and no message contains them', async () => {
    subject.sealed.set(id, 'typed-into-the-flow');
    const refused = { status: 401, body: 'No typed-into-the-flow here.', headers: { 'content-type': 'text/plain' } };

    const message = await subject.failure(TRIGGER, { ...INPUT, ...bearer(`**REDACTED**:${id}`) }, refused);

    expect(subject.http.last.headers).toMatchObject({ Authorization: 'Bearer typed-into-the-flow' });
    expect(message).not.toContain('typed-into-the-flow');
  });

  it('are opened only where a secret belongs', async () => {
    subject.sealed.set(id, 'typed-into-the-flow');
    const reference = `**REDACTED**:${id}`;

    await read({ data: { rows: [] } }, { url: `https://api.test/?a=${reference}`, headers: { a: reference } });

    expect(JSON.stringify(subject.http.last)).not.toContain('typed-into-the-flow');
  });

  it('fail a poll that refers to a secret of another flow, and make its draft invalid', async () => {
    expect(await fail('{}', bearer(`**REDACTED**:${id}`))).toBe(
      'A secret of the trigger is not known in this flow: write it again.',
    );
    expect(entry()?.inputProblems({ ...INPUT, ...bearer('**REDACTED**') })).toEqual([
      'A secret in authFields is not known in this flow: write it again.',
    ]);
  });

  it.each(['new_item_in_json', 'new_item_in_feed'])('are known to be secrets in %s', (name) =>
    expect(entry(name)?.secretInputs).toEqual([
      ['authFields', 'password'],
      ['authFields', 'token'],
      ['authFields', 'headerValue'],
    ]),
  );

  it('are warned of in other headers, which are not sealed', () => {
    const headers = { 'X-Api-Key': 'plain', Authorization: "{{connections['key']}}", Accept: 'text/json', Cookie: '' };

    expect(entry()?.inputWarnings({ ...INPUT, headers })).toEqual([
      "Everybody who may read the flow can read the header X-Api-Key. Use the authentication, or {{connections['…']}}.",
    ]);
  });
});

describe('the samples of polling.new_item_in_json', () => {
  it('are the newest items that are there now, the newest first', async () => {
    const rows = [7, 6, 5, 4, 3, 2, 1].map((id) => ({ id }));
    subject.http.answer = () => Promise.resolve(anAnswer({ body: JSON.stringify({ data: { rows } }) }));
    const hooks = new TriggerHookHost(new BuiltInPieces(), {
      ...subject,
      connections: (projectId, externalIds) => subject.connections(projectId, externalIds),
      secrets: (flowId, ids) => subject.secrets(flowId, ids),
      store: { get: () => Promise.resolve(null) },
      publicUrl: 'https://millrace.test',
    });
    const trigger = builtInTrigger('polling', 'new_item_in_json');
    const live = {
      flowId: 'flow_1',
      projectId: 'project_1',
      flowVersionId: 'version_1',
      trigger: { ...trigger, settings: { ...trigger.settings, input: INPUT } },
    };

    const tested = await hooks.call({ hook: 'test', live }, [], new AbortController().signal);

    expect(tested).toMatchObject({ kind: 'done', value: rows.slice(0, 5), effects: { writes: [] } });
  });
});

describe('the check of polling.new_item_in_json', () => {
  const trigger = new BuiltInPieces().findTrigger('polling', '', 'new_item_in_json');
  const problems = (input: Record<string, unknown>) => trigger?.inputProblems({ ...INPUT, ...input });

  it.each([
    [{}],
    [{ everyMinutes: 1 }],
    [{ everyMinutes: '90' }],
    [{ authType: 'bearer', authFields: { token: "{{connections['key']}}" } }],
    [{ url: "https://api.test/{{connections['place'].path}}" }],
  ])('finds nothing wrong with %j', (input) => expect(problems(input)).toEqual([]));

  it.each([
    [{ url: '' }, 'The input "URL" (url) is required.'],
    [{ url: 'ftp://api.test' }, 'The input "URL" (url) must begin with http:// or https://.'],
    [{ url: 5 }, 'The input "URL" (url) is not a valid URL.'],
    [
      { url: 'https://ann:secret@api.test' },
      'The input "URL" (url) must have no user name and no password in it; authType sends them.',
    ],
    [{ headers: { 'X Key': 'v' } }, '"X Key" in headers is not the name of a header.'],
    [
      { headers: { 'X-Key': 'a\nb' } },
      'The value of headers.X-Key has a character that a header cannot have, such as a line break.',
    ],
    [
      { authType: 'basic', authFields: { username: 'a:b' } },
      'The input "User name" (authFields.username) must not have a colon in it.',
    ],
    [
      { authType: 'header', authFields: { headerName: 'X Key', headerValue: 'v' } },
      '"X Key" in authFields.headerName is not the name of a header.',
    ],
    [{ everyMinutes: 0.5 }, 'The input "Minutes between two polls" (everyMinutes) must be from 1 to 44640.'],
    [
      { everyMinutes: "{{connections['key']}}" },
      'The input "Minutes between two polls" (everyMinutes) cannot be an expression.',
    ],
    [{ itemsPath: 'a..b' }, 'The input "Path of the list" (itemsPath) is no path such as data.items or rows[0].id.'],
    [{ idPath: 'a[b]' }, 'The input "Path of the id in an item" (idPath) is no path such as data.items or rows[0].id.'],
    [
      { headers: { a: '{{step_1}}' } },
      'An expression of a trigger can only read connections, and {{step_1}} does not.',
    ],
    [{ authType: 'bearer' }, 'The input "Token" (authFields.token) is required.'],
  ])('finds what is wrong with %j', (input, problem) => expect(problems(input)).toEqual([problem]));

  it('plans a poll at the interval of the author', () => {
    expect(trigger?.plan({ ...INPUT, everyMinutes: '7' })).toEqual({ kind: 'POLLING', poll: { everyMinutes: 7 } });
    expect(trigger?.plan(INPUT)).toEqual({ kind: 'POLLING', poll: { everyMinutes: null } });
  });
});
