import { schemaRef } from '@millrace/domain';
import { mapOperations, type ApiContent, type ApiDocument } from './api-document';
import { flowOperationExamples } from './flow-operations';

const projectId = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c10';

const userId = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c13';

const flowId = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c11';

const trigger = { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {} };

const APPROVAL = { approved: true, comment: 'Go ahead.' };

/** An example body for each route that takes one. Flow operations have their own examples. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/authentication/sign-in': { email: 'ada@example.com', password: 'correct horse battery' },
  'POST /api/v1/authentication/sign-up': {
    email: 'ada@example.com',
    password: 'correct horse battery',
    firstName: 'Ada',
    lastName: 'Lovelace',
  },
  'POST /api/v1/authentication/refresh': { refreshToken: 'rt-…' },
  'POST /api/v1/authentication/sign-out': { refreshToken: 'rt-…' },
  'POST /api/v1/users': {
    email: 'grace@example.com',
    password: 'correct horse battery',
    firstName: 'Grace',
    lastName: 'Hopper',
  },
  'POST /api/v1/users/{id}/identity': { subject: '00u1a2b3c4d5e6f7g8h9' },
  'POST /api/v1/project-members': { projectId, userId, role: 'EDITOR' },
  'POST /api/v1/project-members/{id}': { role: 'OPERATOR' },
  'POST /api/v1/user-invitations': { email: 'grace@example.com', projectId, role: 'EDITOR' },
  'POST /api/v1/user-invitations/accept': { token: 'inv-…' },
  'POST /api/v1/projects': { displayName: 'Logistics' },
  'POST /api/v1/projects/{id}': { displayName: 'Logistics and returns' },
  'POST /api/v1/api-keys': {
    displayName: 'Deployment',
    projectId,
    role: 'EDITOR',
    expiresAt: '2030-01-01T00:00:00.000Z',
  },
  'POST /api/v1/worker-machines': {
    id: '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c19',
    hostname: 'worker-1',
    version: '0.1.0',
    queue: 'REDIS',
    concurrency: 50,
  },
  'POST /api/v1/flows': { displayName: 'Orders to the warehouse', projectId, metadata: { team: 'logistics' } },
  'POST /api/v1/connections/oauth2/authorization-url': {
    projectId,
    client_id: 'millrace',
    authorization_url: 'https://id.example.com/authorize',
    redirect_url: 'https://flows.example.com/connected',
    scope: 'read write',
  },
  'POST /api/v1/folders': { displayName: 'Orders', projectId },
  'POST /api/v1/folders/{id}': { displayName: 'Orders and returns' },
  'POST /api/v1/templates': {
    projectId,
    name: 'Empty flow',
    description: 'A flow to begin with.',
    template: { displayName: 'Empty flow', trigger, schemaVersion: '20', notes: [] },
  },
  'POST /api/v1/flows/{id}/evaluate': { stepName: 'step_1', expressions: ['Hello {{trigger.body.name}}'] },
  'POST /api/v1/flows/{id}/test-run': { payload: { body: { order: 1042 } } },
  'POST /api/v1/flows/{id}/run': { order: 1042 },
  'POST /api/v1/flows/{id}/backfill': {
    from: '2026-01-31T08:00:00.000Z',
    to: '2026-01-31T20:00:00.000Z',
    dryRun: true,
  },
  'POST /api/v1/flow-runs/cancel': { flowId, status: ['PAUSED'], dryRun: true },
  'POST /api/v1/flow-runs/retry': { strategy: 'FROM_FAILED_STEP', flowId, failedStepName: 'step_1', dryRun: true },
  'POST /api/v1/flow-runs/{id}/retry': { strategy: 'FROM_FAILED_STEP', projectId },
  'POST /api/v1/flow-runs/{id}/rerun': { fromStep: 'step_2', iteration: 3, version: 'latest', dryRun: true },
  'POST /api/v1/flow-runs/archive': { projectId, createdBefore: '2026-01-01T00:00:00.000Z' },
  'POST /api/v1/flow-runs/{id}/requests/{requestId}': APPROVAL,
  'POST /api/v1/flow-runs/{id}/requests/{requestId}/sync': APPROVAL,
  'POST /api/v1/forms/{flowId}': { name: 'Ada', count: 3 },
  'POST /api/v1/flows/{id}/sample-data': { fromRunId: '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c18' },
  'POST /api/v1/sample-data/test-step': { flowId, stepName: 'step_1' },
  'POST /api/v1/test-trigger': { flowId },
  'POST /api/v1/pieces': { name: '@activepieces/piece-baserow', version: '0.10.0' },
  'POST /api/v1/pieces/archives': 'the bytes of acme-piece-notes-1.2.0.tgz',
  'POST /api/v1/pieces/options': { pieceName: 'webhook', name: 'catch_webhook', propName: 'authType' },
  'POST /api/v1/app-events/{pieceName}': {
    team_id: 'T061EG9R6',
    event_id: 'Ev9UQ52YNA',
    event: { type: 'message', channel: 'C0FTT2P9V', text: 'Hello' },
  },
  'POST /api/v1/oauth-apps': {
    pieceName: '@activepieces/piece-slack',
    clientId: '1234567890.0987654321',
    clientSecret: '8f742231b10e8888abcd99yyyzzz85a5',
    webhookSecret: '0c1f2a3b4c5d6e7f8091a2b3c4d5e6f7',
  },
  'POST /api/v1/connections': {
    projectId,
    externalId: 'warehouse',
    displayName: 'Warehouse',
    type: 'BASIC_AUTH',
    value: { username: 'millrace', password: 'correct horse battery' },
  },
  'POST /api/v1/event-destinations': {
    projectId,
    url: 'https://example.com/millrace-events',
    events: ['flow_run.failed', 'flow_run.timed_out'],
  },
  'POST /api/v1/event-destinations/{id}': { status: 'ENABLED' },
  'POST /api/v1/files': 'order,amount\n1042,17\n',
  'DELETE /api/v1/files': { ids: ['01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c12'] },
  'POST /api/v1/events': { projectId, name: 'order.paid', id: 'order-1042', data: { order: 1042, total: 17.5 } },
  'POST /api/v1/store-entries': { projectId, scope: 'PROJECT', key: 'last_order', value: { order: 1042 } },
};

/** Gives every request body an example. */
export function describeRequests(document: ApiDocument): ApiDocument {
  return mapOperations(document, ({ name, operation }) => {
    const content = Object.entries(operation.requestBody?.content ?? {});
    if (content.length === 0) return operation;
    const required = operation.requestBody?.required ?? true;
    const withExamples = content.map(([type, each]) => [type, described(name, each)] as const);
    return { ...operation, requestBody: { required, content: Object.fromEntries(withExamples) } };
  });
}

function described(route: string, content: ApiContent): ApiContent {
  if (route === 'POST /api/v1/flows/{id}')
    return { schema: schemaRef('FlowOperation'), examples: flowOperationExamples() };
  const example = EXAMPLES[route];
  return example === undefined ? content : { ...content, example };
}
