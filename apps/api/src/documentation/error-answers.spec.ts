import type { ApiDocument, ApiOperation } from './api-document';
import { describeErrors, errorAnswers } from './error-answers';

const operation = (more: Partial<ApiOperation> = {}): ApiOperation => ({
  operationId: 'x',
  security: [{ bearer: [] }],
  responses: { 200: { description: 'It worked.' } },
  ...more,
});

const parameter = (place: string, name: string) => ({ name, in: place, schema: { type: 'string' } });

function statusesOf(method: string, path: string, described: ApiOperation): string[] {
  const document: ApiDocument = { paths: { [path]: { [method]: described } }, components: { schemas: {} } };
  return Object.keys(describeErrors(document).paths[path]?.[method]?.responses ?? {});
}

const codesIn = (answers: ReturnType<typeof errorAnswers>): unknown[] =>
  Object.values(answers).map(({ content }) => content?.['application/json']?.schema?.['properties']);

describe('error answers', () => {
  it.each<[string, string, string, ApiOperation, string[]]>([
    ['a read of oneself', 'get', '/me', operation(), ['200', '400', '401', '429', '500', '503']],
    ['a public read', 'get', '/open', operation({ security: undefined }), ['200', '400', '500', '503']],
    [
      'a read by id',
      'get',
      '/things/{id}',
      operation({ parameters: [parameter('path', 'id')] }),
      ['200', '400', '401', '404', '414', '429', '500', '503'],
    ],
    [
      'a list of a project',
      'get',
      '/things',
      operation({ parameters: [parameter('query', 'projectId')] }),
      ['200', '400', '401', '403', '404', '429', '500', '503'],
    ],
    [
      'a POST with a key',
      'post',
      '/things',
      operation({ parameters: [parameter('header', 'Idempotency-Key')] }),
      ['200', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503'],
    ],
    [
      'a change of a state that was read',
      'delete',
      '/things/{id}',
      operation({ parameters: [parameter('path', 'id'), parameter('header', 'If-Match')] }),
      ['200', '400', '401', '403', '404', '412', '413', '414', '415', '429', '500', '503'],
    ],
    [
      'sign-in',
      'post',
      '/api/v1/authentication/sign-in',
      operation({ security: undefined }),
      ['200', '400', '401', '413', '415', '429', '500', '503'],
    ],
  ])('of %s', (_what, method, path, described, statuses) => {
    expect(statusesOf(method, path, described)).toEqual(statuses);
  });

  it('find the project in the body too', () => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
    const described = describeErrors({
      paths: { '/things': { post: operation({ requestBody: { content } }) } },
      components: { schemas: { Thing: { properties: { projectId: { type: 'string' } } } } },
    });
    expect(described.paths['/things']?.['post']?.responses['403']?.description).toContain('AUTHORIZATION');
  });

  it('put the codes of one status together, each once', () => {
    const answers = errorAnswers(['FLOW_IN_USE', 'VALIDATION', 'ENTITY_EXISTS', 'FLOW_IN_USE']);
    expect(codesIn(answers)).toEqual([
      {
        statusCode: { type: 'integer', enum: [400] },
        code: { type: 'string', enum: ['VALIDATION'] },
        params: { $ref: '#/components/schemas/ErrorParams' },
      },
      expect.objectContaining({ code: { type: 'string', enum: ['FLOW_IN_USE', 'ENTITY_EXISTS'] } }),
    ]);
  });

  it('say when to come back', () => {
    const answers = errorAnswers(['VALIDATION', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);
    const headers = Object.entries(answers).map(([status, answer]) => [status, Object.keys(answer.headers ?? {})]);
    expect(headers).toEqual([
      ['400', []],
      ['429', ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']],
      ['503', ['Retry-After']],
    ]);
  });

  it('list a code at another status where it has one', () => {
    const answers = errorAnswers(['FLOW_DISABLED', { code: 'FLOW_DISABLED', status: 409 }, 'FLOW_IN_USE']);
    expect(Object.keys(answers)).toEqual(['404', '409']);
    expect(codesIn(answers)[1]).toMatchObject({
      statusCode: { enum: [409] },
      code: { enum: ['FLOW_DISABLED', 'FLOW_IN_USE'] },
    });
  });
});
