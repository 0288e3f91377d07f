import type { JsonSchema } from '@millrace/domain';
import { mapOperations, type ApiDocument, type ApiOperation } from './api-document';

// The names that generated clients use for operations and schemas. They belong to the resource and stay the same when a
// controller or a DTO is renamed or split.

const OPERATION_IDS: Readonly<Record<string, string>> = {
  'POST /api/v1/authentication/sign-in': 'authentication.signIn',
  'POST /api/v1/authentication/sign-up': 'authentication.signUp',
  'POST /api/v1/authentication/refresh': 'authentication.refresh',
  'POST /api/v1/authentication/sign-out': 'authentication.signOut',
  'GET /api/v1/installation': 'installation.read',
  'GET /api/v1/users/me': 'users.me',
  'GET /api/v1/users': 'users.list',
  'POST /api/v1/users': 'users.create',
  'DELETE /api/v1/users/{id}': 'users.delete',
  'GET /api/v1/users/{id}/identity': 'users.readIdentity',
  'POST /api/v1/users/{id}/identity': 'users.linkIdentity',
  'DELETE /api/v1/users/{id}/identity': 'users.unlinkIdentity',
  'GET /api/v1/projects': 'projects.list',
  'POST /api/v1/projects': 'projects.create',
  'GET /api/v1/projects/{id}': 'projects.read',
  'POST /api/v1/projects/{id}': 'projects.rename',
  'DELETE /api/v1/projects/{id}': 'projects.delete',
  'GET /api/v1/project-members': 'projectMembers.list',
  'POST /api/v1/project-members': 'projectMembers.add',
  'POST /api/v1/project-members/{id}': 'projectMembers.change',
  'DELETE /api/v1/project-members/{id}': 'projectMembers.remove',
  'GET /api/v1/user-invitations': 'userInvitations.list',
  'POST /api/v1/user-invitations': 'userInvitations.create',
  'POST /api/v1/user-invitations/accept': 'userInvitations.accept',
  'DELETE /api/v1/user-invitations/{id}': 'userInvitations.delete',
  'GET /api/v1/api-keys': 'apiKeys.list',
  'POST /api/v1/api-keys': 'apiKeys.create',
  'DELETE /api/v1/api-keys/{id}': 'apiKeys.delete',
  'GET /api/v1/audit-events': 'auditEvents.list',
  'GET /api/v1/admin/queue/metrics': 'queue.counts',
  'GET /api/v1/admin/queue/backlog': 'queue.backlog',
  'GET /api/v1/admin/queue/failed': 'queue.listFailed',
  'POST /api/v1/admin/queue/retry/{jobId}': 'queue.retryFailed',
  'GET /api/v1/worker-machines': 'workerMachines.list',
  'POST /api/v1/worker-machines': 'workerMachines.register',
  'GET /api/v1/flows': 'flows.list',
  'POST /api/v1/flows': 'flows.create',
  'GET /api/v1/flows/count': 'flows.count',
  'GET /api/v1/flows/{id}': 'flows.read',
  'POST /api/v1/flows/{id}': 'flows.operate',
  'DELETE /api/v1/flows/{id}': 'flows.delete',
  'GET /api/v1/flows/{id}/versions': 'flows.listVersions',
  'GET /api/v1/flows/{id}/versions/{from}/diff/{to}': 'flows.diffVersions',
  'GET /api/v1/flows/{id}/template': 'flows.export',
  'POST /api/v1/flows/{id}/check': 'flows.check',
  'POST /api/v1/flows/{id}/evaluate': 'flows.evaluate',
  'POST /api/v1/flows/{id}/test-run': 'flows.testRun',
  'POST /api/v1/flows/{id}/run': 'flows.run',
  'POST /api/v1/flows/{id}/backfill': 'flows.backfill',
  'GET /api/v1/folders': 'folders.list',
  'POST /api/v1/folders': 'folders.create',
  'GET /api/v1/folders/{id}': 'folders.read',
  'POST /api/v1/folders/{id}': 'folders.rename',
  'DELETE /api/v1/folders/{id}': 'folders.delete',
  'GET /api/v1/templates': 'templates.list',
  'POST /api/v1/templates': 'templates.create',
  'GET /api/v1/templates/{id}': 'templates.read',
  'DELETE /api/v1/templates/{id}': 'templates.delete',
  'GET /api/v1/pieces': 'pieces.list',
  'GET /api/v1/pieces/{name}': 'pieces.read',
  'POST /api/v1/pieces/options': 'pieces.options',
  'GET /api/v1/pieces/catalogue': 'pieces.catalogue',
  'POST /api/v1/pieces': 'pieces.install',
  'POST /api/v1/pieces/archives': 'pieces.installArchive',
  'DELETE /api/v1/pieces/{name}': 'pieces.remove',
  'GET /api/v1/app-events/{pieceName}': 'appEvents.confirm',
  'POST /api/v1/app-events/{pieceName}': 'appEvents.receive',
  'GET /api/v1/oauth-apps': 'oauthApps.list',
  'POST /api/v1/oauth-apps': 'oauthApps.upsert',
  'DELETE /api/v1/oauth-apps': 'oauthApps.delete',
  'GET /api/v1/connections': 'connections.list',
  'POST /api/v1/connections': 'connections.upsert',
  'GET /api/v1/connections/{id}': 'connections.read',
  'DELETE /api/v1/connections/{id}': 'connections.delete',
  'POST /api/v1/connections/{id}/test': 'connections.test',
  'POST /api/v1/connections/oauth2/authorization-url': 'connections.authorizationUrl',
  'POST /api/v1/events': 'events.publish',
  'GET /api/v1/event-destinations': 'eventDestinations.list',
  'POST /api/v1/event-destinations': 'eventDestinations.create',
  'GET /api/v1/event-destinations/{id}': 'eventDestinations.read',
  'POST /api/v1/event-destinations/{id}': 'eventDestinations.change',
  'DELETE /api/v1/event-destinations/{id}': 'eventDestinations.delete',
  'POST /api/v1/event-destinations/{id}/test': 'eventDestinations.test',
  'GET /api/v1/event-destinations/{id}/deliveries': 'eventDestinations.listDeliveries',
  'POST /api/v1/event-destinations/{id}/deliveries/{deliveryId}/redeliver': 'eventDestinations.redeliver',
  'GET /api/v1/store-entries': 'storeEntries.list',
  'POST /api/v1/store-entries': 'storeEntries.put',
  'DELETE /api/v1/store-entries': 'storeEntries.delete',
  'POST /api/v1/files': 'files.upload',
  'DELETE /api/v1/files': 'files.delete',
  'GET /api/v1/files/{id}': 'files.read',
  'POST /api/v1/files/{id}/link': 'files.link',
  'GET /api/v1/sample-data': 'sampleData.read',
  'POST /api/v1/flows/{id}/sample-data': 'sampleData.takeFromRun',
  'POST /api/v1/sample-data/test-step': 'sampleData.testStep',
  'POST /api/v1/test-trigger': 'triggers.test',
  'GET /api/v1/trigger-events': 'triggers.events',
  'GET /api/v1/flow-runs': 'flowRuns.list',
  'GET /api/v1/flow-runs/count': 'flowRuns.count',
  'GET /api/v1/flow-runs/count-by-status': 'flowRuns.countByStatus',
  'GET /api/v1/flow-runs/histogram': 'flowRuns.histogram',
  'GET /api/v1/flow-runs/failures': 'flowRuns.failures',
  'GET /api/v1/flow-runs/summary': 'flowRuns.summary',
  'POST /api/v1/flow-runs/cancel': 'flowRuns.cancel',
  'POST /api/v1/flow-runs/archive': 'flowRuns.archive',
  'POST /api/v1/flow-runs/retry': 'flowRuns.retryMany',
  'POST /api/v1/flow-runs/{id}/retry': 'flowRuns.retry',
  'POST /api/v1/flow-runs/{id}/rerun': 'flowRuns.rerun',
  'GET /api/v1/flow-runs/{id}/diff/{otherId}': 'flowRuns.diff',
  'GET /api/v1/flow-runs/{id}': 'flowRuns.read',
  'GET /api/v1/flow-runs/{id}/steps': 'flowRuns.listSteps',
  'GET /api/v1/flow-runs/{id}/step-totals': 'flowRuns.stepTotals',
  'GET /api/v1/flow-runs/{id}/steps/{path}': 'flowRuns.readStep',
  'GET /api/v1/flow-runs/{id}/requests/{requestId}': 'flowRuns.showRequest',
  'POST /api/v1/flow-runs/{id}/requests/{requestId}': 'flowRuns.answerRequest',
  'GET /api/v1/flow-runs/{id}/requests/{requestId}/sync': 'flowRuns.showRequestSync',
  'POST /api/v1/flow-runs/{id}/requests/{requestId}/sync': 'flowRuns.answerRequestSync',
  'GET /api/v1/paced-retries': 'pacedRetries.list',
  'GET /api/v1/paced-retries/{id}': 'pacedRetries.read',
  'POST /api/v1/paced-retries/{id}/cancel': 'pacedRetries.cancel',
  'GET /api/v1/forms/{flowId}': 'forms.show',
  'POST /api/v1/forms/{flowId}': 'forms.submit',
  'GET /api/v1/health/live': 'health.live',
  'GET /api/v1/health/ready': 'health.ready',
  'GET /api/v1/health/startup': 'health.startup',
};

/** Schema names for classes whose name without `Dto` is too short to understand. */
const SCHEMA_NAMES: Readonly<Record<string, string>> = {
  ArchivedDto: 'ArchivedRuns',
  BackfilledDto: 'BackfilledRuns',
  CancelledDto: 'CancelledRuns',
  RetriedDto: 'RetriedRuns',
  RenamedDto: 'RenamedFlow',
  PieceActionDto: 'PieceActionDescription',
  PieceTriggerDto: 'PieceTriggerDescription',
  RerunDto: 'RerunRequest',
  SignInDto: 'SignInRequest',
  SignUpDto: 'SignUpRequest',
  RefreshTokenDto: 'RefreshRequest',
};

/** Gives operations and schemas their client names. Throws for a route without a name. */
export function nameForClients(document: ApiDocument): ApiDocument {
  const named = mapOperations(document, ({ name, operation }): ApiOperation => {
    const operationId = OPERATION_IDS[name];
    if (operationId === undefined) throw new Error(`The route ${name} has no operation id.`);
    return { ...operation, operationId };
  });
  return withSchemasNamed(named);
}

const REFERENCE = '#/components/schemas/';

/** The schema name of a class: `FlowDto` becomes `Flow`. A bundler may have added a number to the class name. */
const schemaName = (className: string): string => SCHEMA_NAMES[className] ?? className.replace(/Dto\d*$/, '');

function withSchemasNamed(document: ApiDocument): ApiDocument {
  const text = JSON.stringify(document, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(REFERENCE)
      ? `${REFERENCE}${schemaName(value.slice(REFERENCE.length))}`
      : value,
  );
  const { components, ...rest } = JSON.parse(text) as ApiDocument;
  const schemas = new Map<string, JsonSchema>();
  for (const [className, schema] of Object.entries(components.schemas)) {
    const name = schemaName(className);
    if (schemas.has(name)) throw new Error(`Two schemas are called ${name}.`);
    schemas.set(name, schema);
  }
  return { ...rest, components: { ...components, schemas: Object.fromEntries(schemas) } };
}
