import type { JsonSchema } from '@millrace/domain';
import { JSON_TYPE, type ApiAnswer, type ApiDocument, type ApiOperation } from './api-document';
import { errorAnswers } from './error-answers';
import { closed, text } from './step-schemas';

// Routes at the same base URL that no controller of the api describes: the webhooks of the gateway, this document, and
// the health check, which every app has.

const WEBHOOK_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const flowId = { name: 'flowId', in: 'path', required: true, schema: { type: 'string' } };

const deliveryHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', maxLength: 255 },
});

const RUN_HEADERS = {
  'x-webhook-id': { description: 'The id of the run.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` when the event had come before.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const webhook = (method: string): ApiOperation => ({
  operationId: `webhooks.${method}`,
  tags: ['webhooks'],
  summary: 'Starts a run of the published version. 200 means that the run is on disk.',
  parameters: [
    flowId,
    deliveryHeader(
      'webhook-id',
      'Names the event: within 24 hours it starts one run of the flow, however often it comes.',
    ),
    deliveryHeader('x-github-delivery', 'As `webhook-id`, where the trigger checks signatures of GitHub.'),
    deliveryHeader('Idempotency-Key', 'As `webhook-id`, for senders that have none.'),
  ],
  ...(method === 'get' ? {} : { requestBody: webhookBody }),
  responses: {
    200: {
      description: 'The run is accepted. Text is the answer to a handshake of the sender, which starts no run.',
      headers: RUN_HEADERS,
      content: {
        [JSON_TYPE]: { schema: closed({ id: text('The id of the run.') }) },
        'text/plain': { schema: { type: 'string' }, example: '1158201444' },
      },
    },
    ...errorAnswers(REFUSALS),
  },
});

/** The answers to a refused webhook. */
const REFUSALS = [
  'VALIDATION',
  'INVALID_WEBHOOK_SIGNATURE',
  'ENTITY_NOT_FOUND',
  'FLOW_DISABLED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;

const syncWebhook = (method: string): ApiOperation => ({
  ...webhook(method),
  operationId: `webhooks.sync.${method}`,
  summary: 'Starts a run of the published version, and answers with what the flow responds.',
  responses: {
    200: {
      description:
        'The response of the flow, as the flow made it. Text may be the answer to a handshake of the sender.',
      headers: RUN_HEADERS,
      content: { [JSON_TYPE]: { schema: {} }, 'text/plain': { schema: { type: 'string' }, example: '1158201444' } },
    },
    202: {
      description: 'Another run acts for this one by the flow control of the trigger: dedupe, debounce or batch.',
      headers: RUN_HEADERS,
      content: { [JSON_TYPE]: { schema: closed({ id: text('The id of the other run.') }) } },
    },
    204: { description: 'The run succeeded without a response.', headers: RUN_HEADERS },
    302: { description: 'A redirect that the flow answers, unless it sets another status.', headers: RUN_HEADERS },
    default: { description: 'The response of the flow: it may have any status and content.' },
    ...errorAnswers([...REFUSALS, 'FLOW_RUN_FAILED', 'REQUEST_TIMEOUT']),
  },
});

/** The answers to a refused webhook for the draft. A flow that is disabled takes it too. */
const REFUSALS_OF_DRAFTS = [...REFUSALS.filter((code) => code !== 'FLOW_DISABLED'), 'FLOW_VERSION_INVALID'] as const;

const draftWebhook =
  (name: string) =>
  (method: string): ApiOperation => {
    const { responses, ...operation } = webhook(method);
    return {
      ...operation,
      operationId: `webhooks.${name}.${method}`,
      summary:
        'Starts a test run of the latest version, also of a disabled flow, and keeps the request as the sample data of ' +
        'the trigger.',
      responses: { 200: responses[200] as ApiAnswer, ...errorAnswers(REFUSALS_OF_DRAFTS) },
    };
  };

const syncDraftWebhook = (method: string): ApiOperation => {
  const { responses, ...operation } = syncWebhook(method);
  return {
    ...operation,
    operationId: `webhooks.draft.sync.${method}`,
    summary: 'Starts a test run of the latest version, and answers with what the flow responds.',
    responses: { ...responses, ...errorAnswers([...REFUSALS_OF_DRAFTS, 'FLOW_RUN_FAILED', 'REQUEST_TIMEOUT']) },
  };
};

const sampleWebhook = (method: string): ApiOperation => {
  const { parameters: _keys, responses: _runs, ...operation } = webhook(method);
  return {
    ...operation,
    operationId: `webhooks.test.${method}`,
    summary: 'Keeps the request as the sample data of the trigger, and starts no run.',
    parameters: [flowId],
    responses: {
      200: answer('The request is kept.', closed({ id: text('The id of the request; no run has it.') })),
      ...errorAnswers(REFUSALS_OF_DRAFTS.filter((code) => code !== 'FLOW_VERSION_INVALID')),
    },
  };
};

const webhookBody = {
  required: false,
  content: {
    [JSON_TYPE]: { schema: {}, example: { order: 1042, total: 120 } },
    'text/plain': { schema: { type: 'string' }, example: 'Any text.' },
    'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: { order: '1042' } },
    'application/xml': { schema: { type: 'string' }, example: '<order id="1042"/>' },
    'multipart/form-data': { schema: { type: 'object' }, example: { order: '1042', receipt: 'A file.' } },
    '*/*': { schema: { type: 'string', format: 'binary' }, example: 'The bytes of a file.' },
  },
};

const readiness: JsonSchema = {
  ...closed({
    ready: { type: 'boolean' },
    checks: { type: 'object', additionalProperties: { type: 'boolean' } },
  }),
  examples: [{ ready: true, checks: { database: true, migrations: true, queue: false } }],
};

const answer = (description: string, schema: JsonSchema) => ({ description, content: { [JSON_TYPE]: { schema } } });

const health = (name: string, summary: string, responses: ApiOperation['responses']): ApiOperation => ({
  operationId: `health.${name}`,
  tags: ['health'],
  summary,
  parameters: [],
  responses,
});

const byMethod = (describe: (method: string) => ApiOperation): ApiDocument['paths'][string] =>
  Object.fromEntries(WEBHOOK_METHODS.map((method) => [method, describe(method)]));

const ROUTES: ApiDocument['paths'] = {
  '/api/v1/webhooks/{flowId}': byMethod(webhook),
  '/api/v1/webhooks/{flowId}/sync': byMethod(syncWebhook),
  '/api/v1/webhooks/{flowId}/simulate': byMethod(draftWebhook('simulate')),
  '/api/v1/webhooks/{flowId}/draft': byMethod(draftWebhook('draft')),
  '/api/v1/webhooks/{flowId}/draft/sync': byMethod(syncDraftWebhook),
  '/api/v1/webhooks/{flowId}/test': byMethod(sampleWebhook),
  '/api/v1/openapi.json': {
    get: {
      operationId: 'documentation.read',
      tags: ['documentation'],
      summary: 'This document.',
      parameters: [],
      responses: {
        200: answer('An OpenAPI document.', { type: 'object', required: ['openapi', 'info', 'paths'] }),
        ...errorAnswers(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']),
      },
    },
  },
  '/api/v1/health/live': {
    get: health('live', 'The process runs and answers.', {
      200: answer('It does.', closed({ status: { type: 'string', enum: ['live'] } })),
    }),
  },
  '/api/v1/health/ready': {
    get: health('ready', 'The process can do its work.', {
      200: answer('It can. A check that is false is of something that it can do without for a while.', readiness),
      503: answer('It cannot; a check that it needs is false.', readiness),
    }),
  },
  '/api/v1/health/startup': {
    get: health('startup', 'The process has been ready since it was started.', {
      200: answer('It has.', closed({ started: { type: 'boolean', enum: [true] } })),
      503: answer('It has not been ready yet.', closed({ started: { type: 'boolean', enum: [false] } })),
    }),
  },
};

export const describeRoutesOutside = (document: ApiDocument): ApiDocument => ({
  ...document,
  paths: { ...document.paths, ...ROUTES },
});
