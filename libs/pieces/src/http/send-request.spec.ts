import { OutboundFailure } from '@millrace/domain';
import { HostUnderTest, RUN } from '../testing/a-piece-host';
import { anAnswer } from '../testing/recording-http';

const URL_GIVEN = 'https://example.test/a?x=1';

describe('http.send_request', () => {
  let subject: HostUnderTest;
  beforeEach(() => (subject = new HostUnderTest()));

  const send = (input: Record<string, unknown> = {}) =>
    subject.run('http.send_request', { method: 'POST', url: URL_GIVEN, ...input });
  const receive = async (answer: Parameters<typeof anAnswer>[0], input: Record<string, unknown> = {}) => {
    subject.http.answer = async () => anAnswer(answer);
    return send(input);
  };

  it('sends a request under the key of the step and gives the answer', async () => {
    const headers = { 'content-type': 'application/json', etag: '"1"' };

    expect(await receive({ status: 201, headers, body: '{"a": 1}' })).toMatchObject({
      kind: 'value',
      output: { status: 201, headers, body: { a: 1 } },
    });
    expect(subject.http.requests).toEqual([
      {
        method: 'POST',
        url: URL_GIVEN,
        headers: {},
        timeoutMs: 30_000,
        followRedirects: true,
        idempotencyKey: RUN.stepKey,
        projectId: RUN.projectId,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it.each([
    [{}, URL_GIVEN],
    [{ b: 'c d', n: 1, none: null, list: ['p', 'q'] }, `${URL_GIVEN}&b=c+d&n=1&list=p&list=q`],
    ['{"b": {"c": true}}', `${URL_GIVEN}&b=%7B%22c%22%3Atrue%7D`],
  ])('adds query parameters %j', async (queryParams, url) => {
    await send({ queryParams });

    expect(subject.http.last.url).toBe(url);
  });

  it('leaves what is no URL to the client', async () => {
    await send({ url: 'example test', queryParams: { a: 1 } });

    expect(subject.http.last.url).toBe('example test');
  });

  it.each([
    ['none', { a: 1 }, undefined, undefined],
    ['json', undefined, undefined, undefined],
    ['json', { a: 1 }, '{"a":1}', 'application/json'],
    ['json', '{"a":   1}', '{"a":   1}', 'application/json'],
    ['json', 'plain', '"plain"', 'application/json'],
    ['json', false, 'false', 'application/json'],
    ['', [1], '[1]', 'application/json'],
    ['form', { a: 'b c', d: [1, 2] }, 'a=b+c&d=1&d=2', 'application/x-www-form-urlencoded'],
    ['form', 'a=b', 'a=b', 'application/x-www-form-urlencoded'],
    ['raw', 'text', 'text', 'text/plain; charset=utf-8'],
    ['raw', { a: 1 }, '{"a":1}', 'text/plain; charset=utf-8'],
  ])('sends as %s: %j', async (bodyType, body, sent, contentType) => {
    await send({ bodyType, body });

    expect(subject.http.last.body).toBe(sent);
    expect(subject.http.last.headers?.['content-type']).toBe(contentType);
  });

  it('fails a form that is no object', async () =>
    expect(await send({ bodyType: 'form', body: [1] })).toMatchObject({
      message: 'The body of a form must be an object or text.',
    }));

  it('lets a header of the author stand in for its own, whatever its case', async () => {
    await send({
      bodyType: 'raw',
      body: '<a/>',
      headers: { 'Content-Type': 'text/xml', 'X-Count': 5, 'X-None': null },
    });

    expect(subject.http.last.headers).toEqual({ 'Content-Type': 'text/xml', 'X-Count': '5' });
  });

  it.each([
    ['basic', { username: 'ann', password: 'p:q' }, { Authorization: 'Basic YW5uOnA6cQ==' }],
    ['basic', { username: 'ann' }, { Authorization: 'Basic YW5uOg==' }],
    ['bearer', { token: 't' }, { Authorization: 'Bearer t' }],
    ['header', { headerName: 'X-Key', headerValue: 'k' }, { 'X-Key': 'k' }],
    ['none', { token: 't' }, {}],
  ])('authenticates by %s with %j', async (authType, authFields, headers) => {
    await send({ authType, authFields });

    expect(subject.http.last.headers).toEqual(headers);
  });

  it.each([
    ['basic', {}, 'The input "User name" (authFields.username) is required.'],
    ['basic', { username: 'a:b' }, 'The user name must not have a colon in it.'],
    ['bearer', undefined, 'The input "Token" (authFields.token) is required.'],
    ['header', { headerName: 'X-Key' }, 'The input "Header value" (authFields.headerValue) is required.'],
    ['digest', {}, 'The input "Authentication" (authType) must be one of none, basic, bearer, header.'],
  ])('sends nothing when %s has %j', async (authType, authFields, message) => {
    expect(await send({ authType, authFields })).toMatchObject({ kind: 'failed', message });
    expect(subject.http.requests).toEqual([]);
  });

  it('lets the author set the time limit and redirects', async () => {
    await send({ timeoutSeconds: '2.5', followRedirects: false });

    expect(subject.http.last).toMatchObject({ timeoutMs: 2_500, followRedirects: false });
  });

  it.each([0, -1, 601])('refuses a time limit of %s s', async (timeoutSeconds) =>
    expect(await send({ timeoutSeconds })).toMatchObject({
      message: 'The time limit must be more than 0 and at most 600 seconds.',
    }),
  );

  it.each([
    ['application/json', '[1]', [1]],
    ['application/problem+json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['application/json', 'not json', 'not json'],
    ['text/html; charset="iso-8859-1"', new Uint8Array([0xe9]), 'é'],
    ['text/plain; charset=no-such', 'é', 'é'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['application/xml', '<a/>', '<a/>'],
    ['', 'é', 'é'],
    ['application/json', '', null],
    ['image/png', '', null],
  ])('reads %s', async (contentType, body, read) => {
    const headers: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType };

    expect(await receive({ headers, body })).toMatchObject({ output: { status: 200, headers, body: read } });
  });

  it.each<[Record<string, string>]>([[{ 'content-type': 'image/png' }], [{}]])(
    'reads bytes as base64 and says so: %j',
    async (headers) =>
      expect(await receive({ headers, body: new Uint8Array([0xff, 0x00, 0xfe]) })).toMatchObject({
        output: { body: '/wD+', bodyIsBase64: true },
      }),
  );

  it.each([
    [503, 'Please wait.', 'The server answered 503 Service Unavailable: Please wait.'],
    [404, '', 'The server answered 404 Not Found.'],
    [499, 'x'.repeat(600), `The server answered 499: ${'x'.repeat(500)}`],
    [400, ' {"error": "no"} ', 'The server answered 400 Bad Request: {"error": "no"}'],
  ])('fails on status %s', async (status, body, message) =>
    expect(await receive({ status, body, headers: { 'content-type': 'text/plain' } })).toEqual({
      kind: 'failed',
      message,
      logs: [],
    }),
  );

  it('passes on when the server wants to be asked again', async () =>
    expect(await receive({ status: 429, retryAfterMs: 7_000 })).toMatchObject({ kind: 'failed', retryAfterMs: 7_000 }));

  it('takes an error status for an answer when the author says so', async () =>
    expect(await receive({ status: 500, body: 'no' }, { failOnErrorStatus: 'false' })).toMatchObject({
      kind: 'value',
      output: { status: 500, body: 'no' },
    }));

  it('fails with what kept the request from an answer', async () => {
    subject.http.answer = () => Promise.reject(new OutboundFailure('refused', 'The host may not be called.'));

    expect(await send()).toMatchObject({ kind: 'failed', message: 'The host may not be called.' });
  });
});
