import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

describe('errors', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);

  it.each([
    ['GET', '/nowhere', undefined, 404, 'ROUTE_NOT_FOUND'],
    ['PUT', '/flows/x', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['PATCH', '/projects', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/flows/%zz', undefined, 400, 'VALIDATION'],
    ['POST', '/flows', '', 400, 'VALIDATION'],
    ['POST', '/flows', '{"displayName":"x"', 400, 'VALIDATION'],
    ['POST', '/flows', "{'displayName':'x'}", 400, 'VALIDATION'],
    ['POST', '/flows', '[]', 400, 'VALIDATION'],
    ['POST', '/flows', 'null', 400, 'VALIDATION'],
    ['POST', '/flows', '7', 400, 'VALIDATION'],
    ['POST', '/flows', `{"displayName":"${'x'.repeat(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/flows', `{"metadata":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400, 'VALIDATION'],
  ])('answer %s %s %.20s with %d %s in the one shape', async (method, path, body, status, code) => {
    const answer = await client.request(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      statusCode: status,
      code,
      params: expect.objectContaining({ message: expect.stringMatching(/\.$/) }),
    });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=klingon', {}],
    ['application/json', { 'content-encoding': 'zstd' }],
  ])('refuse a body of type %s %j', async (type, headers) => {
    const answer = await client.request('POST', '/flows', '{}', { 'content-type': type, ...headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  it('name a limit of one megabyte on an operation that is no import', async () => {
    const project = await client.createProject('Errors');
    const { id } = await client.createFlow(project, 'x');
    const body = { type: 'CHANGE_STATUS', request: { status: 'ENABLED', x: 'x'.repeat(1024 * 1024) } };
    const answer = await client.request('POST', `/flows/${id}`, body);
    expect(answer).toMatchObject({ status: 413, body: { params: { limitBytes: 1024 * 1024 } } });
  });
});
