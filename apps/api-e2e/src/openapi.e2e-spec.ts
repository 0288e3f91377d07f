import { AnswerContract, ServiceClient, serviceUnderTest, type OpenApiDocument } from '@millrace/e2e-support';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  'x-permission'?: string | string[];
  parameters?: { name: string; in: string; style?: string; explode?: boolean; schema?: { type?: string } }[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown; examples?: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>;
}

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema & { enum?: unknown[]; additionalProperties?: Schema }>;
  oneOf?: Schema[];
}

interface Document extends OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, Schema> };
}

const JSON_TYPE = 'application/json';

/** All routes of the service. Add a line for each new route. */
const ROUTES = [
  'POST /api/v1/authentication/sign-in',
  'POST /api/v1/authentication/sign-up',
  'POST /api/v1/authentication/refresh',
  'POST /api/v1/authentication/sign-out',
  'GET /api/v1/installation',
  'GET /api/v1/users/me',
  'GET /api/v1/users',
  'POST /api/v1/users',
  'DELETE /api/v1/users/{id}',
  'GET /api/v1/users/{id}/identity',
  'POST /api/v1/users/{id}/identity',
  'DELETE /api/v1/users/{id}/identity',
  'GET /api/v1/projects',
  'POST /api/v1/projects',
  'GET /api/v1/projects/{id}',
  'POST /api/v1/projects/{id}',
  'DELETE /api/v1/projects/{id}',
  'GET /api/v1/project-members',
  'POST /api/v1/project-members',
  'POST /api/v1/project-members/{id}',
  'DELETE /api/v1/project-members/{id}',
  'GET /api/v1/user-invitations',
  'POST /api/v1/user-invitations',
  'POST /api/v1/user-invitations/accept',
  'DELETE /api/v1/user-invitations/{id}',
  'GET /api/v1/admin/queue/metrics',
  'GET /api/v1/admin/queue/backlog',
  'GET /api/v1/admin/queue/failed',
  'POST /api/v1/admin/queue/retry/{jobId}',
  'GET /api/v1/api-keys',
  'POST /api/v1/api-keys',
  'DELETE /api/v1/api-keys/{id}',
  'GET /api/v1/flows',
  'POST /api/v1/flows',
  'GET /api/v1/flows/count',
  'GET /api/v1/flows/{id}',
  'POST /api/v1/flows/{id}',
  'DELETE /api/v1/flows/{id}',
  'GET /api/v1/flows/{id}/versions',
  'GET /api/v1/flows/{id}/versions/{from}/diff/{to}',
  'GET /api/v1/flows/{id}/template',
  'POST /api/v1/flows/{id}/check',
  'POST /api/v1/flows/{id}/evaluate',
  'POST /api/v1/flows/{id}/sample-data',
  'POST /api/v1/flows/{id}/test-run',
  'POST /api/v1/flows/{id}/run',
  'POST /api/v1/flows/{id}/backfill',
  'GET /api/v1/folders',
  'POST /api/v1/folders',
  'GET /api/v1/folders/{id}',
  'POST /api/v1/folders/{id}',
  'DELETE /api/v1/folders/{id}',
  'GET /api/v1/templates',
  'POST /api/v1/templates',
  'GET /api/v1/templates/{id}',
  'DELETE /api/v1/templates/{id}',
  'GET /api/v1/pieces',
  'GET /api/v1/pieces/{name}',
  'POST /api/v1/pieces/options',
  'GET /api/v1/pieces/catalogue',
  'POST /api/v1/pieces',
  'POST /api/v1/pieces/archives',
  'DELETE /api/v1/pieces/{name}',
  'GET /api/v1/audit-events',
  'GET /api/v1/worker-machines',
  'POST /api/v1/worker-machines',
  'GET /api/v1/connections',
  'POST /api/v1/connections',
  'GET /api/v1/connections/{id}',
  'DELETE /api/v1/connections/{id}',
  'POST /api/v1/connections/{id}/test',
  'POST /api/v1/connections/oauth2/authorization-url',
  'POST /api/v1/events',
  'GET /api/v1/event-destinations',
  'POST /api/v1/event-destinations',
  'GET /api/v1/event-destinations/{id}',
  'POST /api/v1/event-destinations/{id}',
  'DELETE /api/v1/event-destinations/{id}',
  'POST /api/v1/event-destinations/{id}/test',
  'GET /api/v1/event-destinations/{id}/deliveries',
  'POST /api/v1/event-destinations/{id}/deliveries/{deliveryId}/redeliver',
  'GET /api/v1/app-events/{pieceName}',
  'POST /api/v1/app-events/{pieceName}',
  'GET /api/v1/oauth-apps',
  'POST /api/v1/oauth-apps',
  'DELETE /api/v1/oauth-apps',
  'GET /api/v1/store-entries',
  'POST /api/v1/store-entries',
  'DELETE /api/v1/store-entries',
  'POST /api/v1/files',
  'DELETE /api/v1/files',
  'GET /api/v1/files/{id}',
  'POST /api/v1/files/{id}/link',
  'GET /api/v1/sample-data',
  'POST /api/v1/sample-data/test-step',
  'POST /api/v1/test-trigger',
  'GET /api/v1/trigger-events',
  'GET /api/v1/flow-runs',
  'GET /api/v1/flow-runs/count',
  'GET /api/v1/flow-runs/count-by-status',
  'GET /api/v1/flow-runs/histogram',
  'GET /api/v1/flow-runs/failures',
  'GET /api/v1/flow-runs/summary',
  'POST /api/v1/flow-runs/cancel',
  'POST /api/v1/flow-runs/archive',
  'POST /api/v1/flow-runs/retry',
  'POST /api/v1/flow-runs/{id}/retry',
  'POST /api/v1/flow-runs/{id}/rerun',
  'GET /api/v1/flow-runs/{id}/diff/{otherId}',
  'GET /api/v1/flow-runs/{id}',
  'GET /api/v1/flow-runs/{id}/steps',
  'GET /api/v1/flow-runs/{id}/step-totals',
  'GET /api/v1/flow-runs/{id}/steps/{path}',
  'GET /api/v1/flow-runs/{id}/requests/{requestId}',
  'POST /api/v1/flow-runs/{id}/requests/{requestId}',
  'GET /api/v1/flow-runs/{id}/requests/{requestId}/sync',
  'POST /api/v1/flow-runs/{id}/requests/{requestId}/sync',
  'GET /api/v1/paced-retries',
  'GET /api/v1/paced-retries/{id}',
  'POST /api/v1/paced-retries/{id}/cancel',
  'GET /api/v1/forms/{flowId}',
  'POST /api/v1/forms/{flowId}',
  'GET /api/v1/webhooks/{flowId}',
  'POST /api/v1/webhooks/{flowId}',
  'PUT /api/v1/webhooks/{flowId}',
  'PATCH /api/v1/webhooks/{flowId}',
  'DELETE /api/v1/webhooks/{flowId}',
  'GET /api/v1/webhooks/{flowId}/sync',
  'POST /api/v1/webhooks/{flowId}/sync',
  'PUT /api/v1/webhooks/{flowId}/sync',
  'PATCH /api/v1/webhooks/{flowId}/sync',
  'DELETE /api/v1/webhooks/{flowId}/sync',
  'GET /api/v1/webhooks/{flowId}/simulate',
  'POST /api/v1/webhooks/{flowId}/simulate',
  'PUT /api/v1/webhooks/{flowId}/simulate',
  'PATCH /api/v1/webhooks/{flowId}/simulate',
  'DELETE /api/v1/webhooks/{flowId}/simulate',
  'GET /api/v1/webhooks/{flowId}/draft',
  'POST /api/v1/webhooks/{flowId}/draft',
  'PUT /api/v1/webhooks/{flowId}/draft',
  'PATCH /api/v1/webhooks/{flowId}/draft',
  'DELETE /api/v1/webhooks/{flowId}/draft',
  'GET /api/v1/webhooks/{flowId}/draft/sync',
  'POST /api/v1/webhooks/{flowId}/draft/sync',
  'PUT /api/v1/webhooks/{flowId}/draft/sync',
  'PATCH /api/v1/webhooks/{flowId}/draft/sync',
  'DELETE /api/v1/webhooks/{flowId}/draft/sync',
  'GET /api/v1/webhooks/{flowId}/test',
  'POST /api/v1/webhooks/{flowId}/test',
  'PUT /api/v1/webhooks/{flowId}/test',
  'PATCH /api/v1/webhooks/{flowId}/test',
  'DELETE /api/v1/webhooks/{flowId}/test',
  'GET /api/v1/openapi.json',
  'GET /api/v1/health/live',
  'GET /api/v1/health/ready',
  'GET /api/v1/health/startup',
];

describe('the OpenAPI document', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let document: Document;
  let operations: [name: string, operation: Operation][];

  beforeAll(async () => {
    document = (await (await fetch(`${service.baseUrl}/api/v1/openapi.json`)).json()) as Document;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  const namesWhere = (isWrong: (operation: Operation, name: string) => boolean) =>
    operations.filter(([name, operation]) => isWrong(operation, name)).map(([name]) => name);
  const codesOf = (name: string): string[] => {
    const answers = Object.values(operations.find(([known]) => known === name)?.[1].responses ?? {});
    const schemas = answers.map(({ content }) => content?.[JSON_TYPE]?.schema);
    return schemas.flatMap((schema) => (schema?.properties?.['code']?.enum as string[] | undefined) ?? []);
  };

  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  it('has nothing that a linter finds fault with', async () => {
    // Health checks and this document take no input that could be wrong, so they have no 4xx answer.
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'operation-4xx-response': 'off' } });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('names every route of the service and no others', () => {
    expect(operations.map(([name]) => name).sort()).toEqual([...ROUTES].sort());
  });

  it('names each operation once and says what it does', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['flowRuns.retry', 'flowRuns.cancel', 'flows.run', 'flows.testRun']));
    expect(namesWhere(({ summary, description }) => !/\S.*\.$/s.test(summary || description || ''))).toEqual([]);
  });

  it('names schemas for what they describe and not for the classes that describe them', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(expect.arrayContaining(['Flow', 'FlowRun', 'StepResult', 'Piece', 'PieceAction']));
    expect(names.filter((name) => name.includes('Dto'))).toEqual([]);
  });

  it('describes every tag', () => {
    const described = document.tags.filter(({ description }) => description).map(({ name }) => name);
    const used = operations.flatMap(([, { tags }]) => tags ?? []);
    expect([...new Set(used)].sort()).toEqual([...described].sort());
  });

  it('says which operations need no credentials', () => {
    expect(namesWhere(({ security }) => security === undefined)).toEqual([]);
    expect(namesWhere(({ security }) => security?.length === 0)).toEqual(
      expect.arrayContaining(['POST /api/v1/authentication/sign-in', 'POST /api/v1/webhooks/{flowId}']),
    );
  });

  it('says what a step result is made of', () => {
    const { FlowRunDetail, StepResult } = document.components.schemas;
    expect(FlowRunDetail?.properties?.['steps']?.additionalProperties).toEqual({
      $ref: '#/components/schemas/StepResult',
    });
    expect(Object.keys(StepResult?.properties ?? {})).toEqual(
      expect.arrayContaining(['type', 'status', 'input', 'output', 'errorMessage', 'duration', 'attempts', 'logs']),
    );
  });

  it('shows an example of every request body', () => {
    const hasExample = ({ requestBody }: Operation): boolean =>
      Object.values(requestBody?.content ?? {}).every(({ example, examples }) => example !== undefined || examples);
    expect(namesWhere((operation) => !hasExample(operation))).toEqual([]);
  });

  it('says of every operation how it succeeds, with a schema unless there is no body', () => {
    const hasSuccess = ({ responses }: Operation): boolean =>
      Object.entries(responses).some(
        ([status, { content }]) =>
          status === '204' || (status.startsWith('2') && Object.values(content ?? {}).some(({ schema }) => schema)),
      );
    expect(namesWhere((operation) => !hasSuccess(operation))).toEqual([]);
  });

  it('says of every error answer which codes it can have', () => {
    const isListed = ({ responses }: Operation): boolean =>
      Object.entries(responses)
        .filter(([status, { content }]) => /^[45]/.test(status) && content?.[JSON_TYPE]?.schema?.properties?.['code'])
        .every(([, { content }]) => {
          const code = content?.[JSON_TYPE]?.schema?.properties?.['code'];
          return code?.type === 'string' && (code.enum ?? []).length > 0;
        });
    expect(namesWhere((operation) => !isListed(operation))).toEqual([]);
  });

  it('lists the errors of every operation, at least those of any', () => {
    const isListed = (name: string) =>
      ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'].every((code) => codesOf(name).includes(code));
    expect(namesWhere((_operation, name) => !name.includes('/health/') && !isListed(name))).toEqual([]);
    const needsCredentials = ({ security }: Operation) => (security ?? []).length > 0;
    expect(
      namesWhere((operation, name) => needsCredentials(operation) !== codesOf(name).includes('AUTHENTICATION')),
    ).toEqual([]);
  });

  it.each([
    ['POST /api/v1/flows/{id}', ['FLOW_IN_USE', 'FLOW_VERSION_INVALID', 'QUOTA_EXCEEDED', 'PRECONDITION_FAILED']],
    ['POST /api/v1/flows', ['VALIDATION', 'AUTHORIZATION', 'IDEMPOTENCY_KEY_REUSED', 'UNSUPPORTED_MEDIA_TYPE']],
    ['POST /api/v1/flows/{id}/run', ['FLOW_DISABLED', 'VALIDATION', 'ENTITY_NOT_FOUND']],
    ['POST /api/v1/flow-runs/{id}/retry', ['AUTHORIZATION', 'FLOW_RUN_NOT_RETRYABLE', 'FLOW_RUN_DATA_EXPIRED']],
    ['POST /api/v1/flow-runs/{id}/rerun', ['FLOW_OPERATION_INVALID', 'FLOW_RUN_NOT_RETRYABLE']],
    ['POST /api/v1/flow-runs/{id}/requests/{requestId}/sync', ['FLOW_RUN_NOT_PAUSED', 'ENTITY_NOT_FOUND']],
    ['DELETE /api/v1/flows/{id}', ['ENTITY_NOT_FOUND', 'PERMISSION_DENIED', 'PRECONDITION_FAILED']],
    ['POST /api/v1/authentication/sign-in', ['INVALID_CREDENTIALS', 'RATE_LIMITED']],
  ])('lists the particular errors of %s', (name, codes) => {
    expect(codesOf(name)).toEqual(expect.arrayContaining(codes));
  });

  it('documents Idempotency-Key where it has an effect', () => {
    const takesKey = ({ parameters }: Operation) => Boolean(parameters?.some(({ name }) => name === 'Idempotency-Key'));
    // What workers post is the same again and again: what they say of themselves.
    const should = (operation: Operation, name: string) =>
      name.startsWith('POST') && (operation.security ?? []).length > 0 && operation['x-permission'] !== 'WORKER_TOKEN';
    const isWebhook = (name: string) => name.includes('/webhooks/');
    expect(
      namesWhere((operation, name) => !isWebhook(name) && takesKey(operation) !== should(operation, name)),
    ).toEqual([]);
  });

  it('says how lists stand in a query', () => {
    const lists = operations
      .flatMap(([, { parameters }]) => parameters ?? [])
      .filter(({ schema }) => schema?.type === 'array');
    expect(lists.length).toBeGreaterThan(0);
    for (const list of lists) expect(list).toMatchObject({ in: 'query', style: 'form', explode: true });
  });

  it('describes every flow operation that the service takes', async () => {
    const answer = await client.request<{ params: { errors: { path: string; message: string }[] } }>(
      'POST',
      `/flows/${(await client.createFlow(await client.createProject('OpenAPI'), 'x')).id}`,
      { type: 'NONE', request: {} },
    );
    const message = answer.body.params.errors.find(({ path }) => path === '/type')?.message ?? '';
    const taken = /one of (.+)\.$/.exec(message)?.[1]?.split(', ') ?? [];
    const described = (document.components.schemas['FlowOperation']?.oneOf ?? []).map(({ $ref }) => {
      const schema = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
      return schema?.properties?.['type']?.enum?.[0];
    });

    expect(taken.length).toBeGreaterThan(2);
    expect(described.sort()).toEqual(taken.sort());
  });

  it('is printed by the api without a database, which clients are made from', async () => {
    const { stdout } = await run(process.execPath, ['dist/apps/api/main.cjs', 'openapi'], {
      cwd: join(__dirname, '../../..'),
      env: {},
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(JSON.parse(stdout)).toEqual(document);
  });

  it('is shown to people as a page', async () => {
    const page = await fetch(`${service.baseUrl}/api/docs`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  });

  describe('as the contract every answer is held against', () => {
    let contract: AnswerContract;
    const project = {
      id: 'a',
      displayName: 'A',
      ownerId: 'b',
      permissions: ['READ_FLOW'],
      created: '2026-01-01T00:00:00.000Z',
      updated: '2026-01-01T00:00:00.000Z',
    };
    const check = (
      status: number,
      body: unknown,
      { method = 'GET', url = '/api/v1/projects/a', type = JSON_TYPE } = {},
    ) => contract.check(method, url, { status, contentType: type, body });

    beforeAll(() => {
      contract = new AnswerContract(document);
    });

    const error = (statusCode: number, code: string) => ({ statusCode, code, params: { message: 'A sentence.' } });
    const nowhere = { url: '/api/v1/nowhere' };

    it('lets what is documented pass', () => {
      expect(() => check(200, project, { url: '/api/v1/projects/a?x=y' })).not.toThrow();
      expect(() => check(404, error(404, 'ENTITY_NOT_FOUND'))).not.toThrow();
      expect(() => check(404, error(404, 'ROUTE_NOT_FOUND'), nowhere)).not.toThrow();
      expect(() => check(204, null, { method: 'DELETE', url: '/api/v1/flows/a' })).not.toThrow();
    });

    it.each<[string, () => void]>([
      ['a field that is not documented', () => check(200, { ...project, secret: 1 })],
      ['a field that is missing', () => check(200, { ...project, id: undefined })],
      ['a time that is none', () => check(200, { ...project, created: 'yesterday' })],
      ['a status that is not listed', () => check(418, error(418, 'TEAPOT'))],
      ['a code that is not listed', () => check(404, error(404, 'FLOW_DISABLED'))],
      ['an error in another shape', () => check(404, { message: 'A sentence.' })],
      ['an error with a fourth field', () => check(404, { ...error(404, 'ENTITY_NOT_FOUND'), stack: '' })],
      ['another type of content', () => check(200, project, { type: 'text/html' })],
      ['success on a route that is not documented', () => check(200, {}, nowhere)],
      ['an unknown route in another shape', () => check(404, { error: 'Not found' }, nowhere)],
      ['a body where none is documented', () => check(204, {}, { method: 'DELETE', url: '/api/v1/flows/a' })],
    ])('catches %s', (_what, checked) => {
      expect(checked).toThrow(/^The answer to (GET|DELETE) .* is not as documented/);
    });

    it('holds for a flow of a thousand steps', () => {
      let step: object = { name: 'step_1000' };
      for (let index = 999; index > 0; index--) step = { name: `step_${index}`, nextAction: step };
      const trigger = {
        name: 'trigger',
        displayName: 'T',
        type: 'EMPTY',
        settings: {},
        valid: false,
        nextAction: step,
      };
      const flow = { version: { trigger } };
      expect(() => check(200, flow, { url: '/api/v1/flows/a' })).toThrow(/required property/);
    });
  });
});
