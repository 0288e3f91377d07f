import { schemaRef, type JsonSchema } from '@millrace/domain';
import { STATUS_OF_CODE } from '@millrace/http';
import {
  hasParameter,
  isForWorkers,
  JSON_TYPE,
  mapOperations,
  needsCredentials,
  withSchemas,
  type ApiAnswer,
  type ApiDocument,
  type ApiRoute,
} from './api-document';
import { closed, oneOf, text } from './step-schemas';

// Rules for the errors that an operation can answer. Only STATUS_OF_CODE defines the status of a code.

const MEANING_OF_CODE = {
  VALIDATION: 'A part of the request is malformed; `params.errors` lists the problems, each with a JSON pointer.',
  FLOW_OPERATION_INVALID: 'The request does not fit the flow, for instance an unknown step.',
  FLOW_SCHEMA_UNSUPPORTED: 'The imported `schemaVersion` is not one this service can read.',
  AUTHENTICATION: 'The request has no credentials.',
  INVALID_BEARER_TOKEN: 'The access token is wrong, has expired or belongs to nobody here.',
  INVALID_API_KEY: 'The API key is unknown, revoked or expired.',
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  INVALID_WEBHOOK_SIGNATURE: 'The signature or the credentials of the webhook are wrong.',
  QUOTA_EXCEEDED: 'The project has as many of something as it may have: `metric`, `limit`, `usage`.',
  PERMISSION_DENIED:
    'The role lacks the permission: `permission`, `projectId`. With a session in a cookie: the page is of another origin.',
  SIGN_UP_DISABLED: 'Signing up needs an invitation.',
  AUTHORIZATION: 'The caller has no role in this project.',
  ENTITY_NOT_FOUND: 'Nothing with this id exists that the caller may see: `entityType`, `entityId`.',
  FLOW_DISABLED: 'The flow is not enabled.',
  FLOW_IN_USE:
    'Another principal changed the flow less than 60 s ago: `flowVersionId`, who (`updatedBy`, `updatedByName`) and `until` when.',
  FLOW_VERSION_INVALID: 'The version is not valid: `flowVersionId`, `problems`.',
  FLOW_RUN_NOT_RETRYABLE: 'The run cannot be retried or run again: `flowRunId`, `status`.',
  FLOW_RUN_DATA_EXPIRED: 'The step data of the run was purged: `retentionDays`.',
  FLOW_RUN_DATA_UNREADABLE: 'The step data of the run is damaged, or a later version wrote it: `flowRunId`.',
  FLOW_RUN_NOT_PAUSED: 'The request was answered otherwise, or the run has ended: `flowRunId`, `status`.',
  LAST_ADMINISTRATOR:
    'A project or the platform would be left without an administrator: `projectId`, or `projectIds` of a user.',
  JOB_NOT_FAILED: 'Only failed jobs can be retried: `jobId`, `state`.',
  PIECE_IN_USE:
    'The published version of a flow names the package, or a trigger still needs it to take back what it registered: `name`, `version`, `flows`, `operations`.',
  PIECE_INTEGRITY:
    'The archive has another content than the catalogue or this installation has seen under this name and version: `name`, `version`.',
  PIECE_NOT_INSTALLED: 'The package cannot be installed: `name`, `version`. `message` says why.',
  ENTITY_EXISTS: 'A field that must be unique is taken: `entityType`, `field`.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this Idempotency-Key is still under way.',
  PRECONDITION_FAILED: 'The flow is not in the state that `If-Match` names any more.',
  URI_TOO_LONG: 'A part of the path is too long for an id.',
  PAYLOAD_TOO_LARGE: 'The body is too large: `limitBytes`.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON in UTF-8.',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with another request within the last 24 hours.',
  TRIGGER_TEST_FAILED:
    'The source of the trigger has failed: `flowVersionId`, `stepName`. `message` is what it answered.',
  RATE_LIMITED:
    'Too many requests or attempts, or too many runs of the project wait to begin; `Retry-After` says how long to wait.',
  REQUEST_TIMEOUT: 'The run has not answered in time and is still under way: `flowRunId`.',
  FLOW_RUN_FAILED: 'The run ended without success and without a response: `flowRunId`, `status`.',
  INTERNAL_ERROR: 'Something went wrong in the service; it is logged under `requestId`.',
  SERVICE_UNAVAILABLE: 'The request was not accepted; `Retry-After` says when to try again.',
} satisfies Record<string, string>;

export type DocumentedCode = keyof typeof MEANING_OF_CODE;

/** A code that has a special status at some routes. */
interface CodeAtStatus {
  code: DocumentedCode;
  status: number;
}

type Listed = DocumentedCode | CodeAtStatus;

interface ErrorRule {
  codes: readonly DocumentedCode[];
  appliesTo: (route: ApiRoute) => boolean;
}

const sendsBody = ({ method }: ApiRoute): boolean => method !== 'GET';

const ALWAYS: readonly ErrorRule[] = [
  // A route without any input refuses query parameters too.
  { codes: ['VALIDATION', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'], appliesTo: () => true },
  { codes: ['AUTHENTICATION', 'INVALID_BEARER_TOKEN', 'INVALID_API_KEY'], appliesTo: needsCredentials },
  { codes: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'], appliesTo: sendsBody },
  {
    codes: ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'],
    appliesTo: (route) => hasParameter(route, 'header', 'Idempotency-Key'),
  },
  { codes: ['PRECONDITION_FAILED'], appliesTo: (route) => hasParameter(route, 'header', 'If-Match') },
  // Where SVC_API_RATE_LIMIT_PER_MINUTE is set, it limits every caller. Sign-ins are limited always.
  { codes: ['RATE_LIMITED'], appliesTo: (route) => needsCredentials(route) || /\/sign-(in|up)$/.test(route.path) },
  { codes: ['URI_TOO_LONG'], appliesTo: ({ path }) => path.includes('{') },
];

/** The errors that only some routes can answer. */
const OF_ROUTE: Readonly<Record<string, readonly Listed[]>> = {
  'POST /api/v1/authentication/sign-in': ['INVALID_CREDENTIALS'],
  'POST /api/v1/authentication/sign-up': ['SIGN_UP_DISABLED', 'ENTITY_EXISTS', 'ENTITY_NOT_FOUND'],
  'POST /api/v1/authentication/refresh': ['INVALID_BEARER_TOKEN', 'PERMISSION_DENIED'],
  'POST /api/v1/authentication/sign-out': ['INVALID_BEARER_TOKEN', 'PERMISSION_DENIED'],
  'POST /api/v1/users': ['ENTITY_EXISTS'],
  'POST /api/v1/users/{id}/identity': ['ENTITY_EXISTS'],
  'DELETE /api/v1/users/{id}': ['LAST_ADMINISTRATOR'],
  'POST /api/v1/project-members': ['ENTITY_EXISTS'],
  'POST /api/v1/project-members/{id}': ['LAST_ADMINISTRATOR'],
  'DELETE /api/v1/project-members/{id}': ['LAST_ADMINISTRATOR'],
  'POST /api/v1/user-invitations/accept': ['ENTITY_EXISTS', 'ENTITY_NOT_FOUND'],
  'POST /api/v1/flows/{id}': [
    'FLOW_OPERATION_INVALID',
    'FLOW_SCHEMA_UNSUPPORTED',
    'FLOW_IN_USE',
    'FLOW_VERSION_INVALID',
    'QUOTA_EXCEEDED',
  ],
  'DELETE /api/v1/flows/{id}': ['FLOW_IN_USE'],
  'POST /api/v1/flows': ['FLOW_SCHEMA_UNSUPPORTED'],
  'POST /api/v1/templates': ['FLOW_SCHEMA_UNSUPPORTED'],
  'POST /api/v1/flows/{id}/evaluate': ['FLOW_OPERATION_INVALID', 'RATE_LIMITED'],
  'POST /api/v1/flows/{id}/test-run': ['FLOW_VERSION_INVALID', 'RATE_LIMITED'],
  'POST /api/v1/flows/{id}/run': [{ code: 'FLOW_DISABLED', status: 409 }, 'RATE_LIMITED'],
  'POST /api/v1/flows/{id}/backfill': [
    'FLOW_OPERATION_INVALID',
    { code: 'FLOW_DISABLED', status: 409 },
    'RATE_LIMITED',
  ],
  'POST /api/v1/flow-runs/retry': ['QUOTA_EXCEEDED'],
  'POST /api/v1/flow-runs/{id}/retry': [
    'FLOW_RUN_NOT_RETRYABLE',
    'FLOW_RUN_DATA_EXPIRED',
    'FLOW_RUN_DATA_UNREADABLE',
    'RATE_LIMITED',
  ],
  'POST /api/v1/flow-runs/{id}/rerun': [
    'FLOW_OPERATION_INVALID',
    'FLOW_RUN_NOT_RETRYABLE',
    'FLOW_RUN_DATA_EXPIRED',
    'FLOW_RUN_DATA_UNREADABLE',
    'FLOW_VERSION_INVALID',
    'RATE_LIMITED',
  ],
  'GET /api/v1/flow-runs/{id}/diff/{otherId}': ['FLOW_RUN_DATA_EXPIRED', 'FLOW_RUN_DATA_UNREADABLE'],
  'GET /api/v1/flow-runs/{id}/steps': ['FLOW_RUN_DATA_EXPIRED', 'FLOW_RUN_DATA_UNREADABLE'],
  'GET /api/v1/flow-runs/{id}/step-totals': ['FLOW_RUN_DATA_EXPIRED', 'FLOW_RUN_DATA_UNREADABLE'],
  'GET /api/v1/flow-runs/{id}/steps/{path}': ['FLOW_RUN_DATA_EXPIRED', 'FLOW_RUN_DATA_UNREADABLE'],
  'GET /api/v1/flow-runs/{id}/requests/{requestId}': ['FLOW_RUN_NOT_PAUSED'],
  'POST /api/v1/flow-runs/{id}/requests/{requestId}': ['FLOW_RUN_NOT_PAUSED'],
  'GET /api/v1/flow-runs/{id}/requests/{requestId}/sync': ['FLOW_RUN_NOT_PAUSED'],
  'POST /api/v1/flow-runs/{id}/requests/{requestId}/sync': ['FLOW_RUN_NOT_PAUSED'],
  'GET /api/v1/forms/{flowId}': ['FLOW_DISABLED'],
  'POST /api/v1/forms/{flowId}': ['FLOW_DISABLED', 'RATE_LIMITED'],
  'POST /api/v1/flows/{id}/sample-data': ['FLOW_RUN_DATA_EXPIRED', 'FLOW_RUN_DATA_UNREADABLE'],
  'POST /api/v1/sample-data/test-step': ['FLOW_OPERATION_INVALID', 'FLOW_VERSION_INVALID', 'RATE_LIMITED'],
  'POST /api/v1/test-trigger': ['FLOW_OPERATION_INVALID', 'FLOW_VERSION_INVALID', 'TRIGGER_TEST_FAILED'],
  'POST /api/v1/pieces/options': ['ENTITY_NOT_FOUND'],
  'POST /api/v1/connections': ['ENTITY_NOT_FOUND'],
  'POST /api/v1/pieces': ['PIECE_INTEGRITY', 'PIECE_NOT_INSTALLED'],
  'POST /api/v1/pieces/archives': ['PIECE_INTEGRITY', 'PIECE_NOT_INSTALLED'],
  'DELETE /api/v1/oauth-apps': ['ENTITY_NOT_FOUND'],
  'GET /api/v1/app-events/{pieceName}': ['ENTITY_NOT_FOUND', 'INVALID_WEBHOOK_SIGNATURE', 'RATE_LIMITED'],
  'POST /api/v1/app-events/{pieceName}': ['ENTITY_NOT_FOUND', 'INVALID_WEBHOOK_SIGNATURE', 'RATE_LIMITED'],
  'DELETE /api/v1/pieces/{name}': ['PIECE_IN_USE'],
  'POST /api/v1/event-destinations': ['QUOTA_EXCEEDED'],
  'POST /api/v1/admin/queue/retry/{jobId}': ['JOB_NOT_FAILED'],
  'POST /api/v1/folders': ['ENTITY_EXISTS'],
  'POST /api/v1/folders/{id}': ['ENTITY_EXISTS'],
};

/** Adds to every operation the errors that it can answer, by status. */
export function describeErrors(document: ApiDocument): ApiDocument {
  const described = mapOperations(document, (route) => {
    const responses = { ...route.operation.responses, ...errorAnswers(codesOf(route, document)) };
    return { ...route.operation, responses };
  });
  return withSchemas(described, { ErrorParams: ERROR_PARAMS });
}

/** Returns the answers for these codes. Codes with the same status share an answer. */
export function errorAnswers(listed: readonly Listed[]): Record<string, ApiAnswer> {
  const codes = listed.map((each) => (typeof each === 'string' ? { code: each, status: statusOf(each) } : each));
  const statuses = [...new Set(codes.map(({ status }) => status))].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((each) => each.status === status).map(({ code }) => code);
      return [String(status), errorAnswer(status, [...new Set(ofStatus)])];
    }),
  );
}

function codesOf(route: ApiRoute, document: ApiDocument): Listed[] {
  const taken = namesTaken(route, document);
  const isInProject = taken.includes('projectId');
  const namesThings =
    !isForWorkers(route) && (taken.some((name) => /^id$|[a-z]Ids?$/.test(name)) || route.path.includes('{'));
  const mayBeDenied = needsCredentials(route) && (route.method !== 'GET' || isInProject || needsMoreThanReading(route));
  return [
    ...ALWAYS.filter(({ appliesTo }) => appliesTo(route)).flatMap(({ codes }) => codes),
    ...(namesThings ? (['ENTITY_NOT_FOUND'] as const) : []),
    ...(isInProject ? (['AUTHORIZATION'] as const) : []),
    ...(mayBeDenied ? (['PERMISSION_DENIED'] as const) : []),
    ...(OF_ROUTE[route.name] ?? []),
  ];
}

/** Every role may read most things; a few lists are for administrators. */
const needsMoreThanReading = ({ operation }: ApiRoute): boolean =>
  [operation['x-permission'] ?? []].flat().some((permission) => /^(WRITE|ADMINISTER)_/.test(permission));

/** The names of the parameters of an operation, and of the members of its body. */
function namesTaken({ operation }: ApiRoute, document: ApiDocument): string[] {
  const parameters = (operation.parameters ?? []).map(({ name }) => name);
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  const reference = typeof schema?.['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const body = reference === undefined ? schema : document.components.schemas[reference];
  return [...parameters, ...Object.keys((body?.['properties'] as object | undefined) ?? {})];
}

/** Returns the status of the code. Throws for an unknown code, which is a mistake in the tables above. */
function statusOf(code: DocumentedCode): number {
  const status = STATUS_OF_CODE[code];
  if (status === undefined) throw new Error(`The code ${code} has no status.`);
  return status;
}

const errorAnswer = (status: number, codes: readonly DocumentedCode[]): ApiAnswer => ({
  description: codes.map((code) => `\`${code}\`: ${MEANING_OF_CODE[code]}`).join('\n\n'),
  ...(WAIT_HEADERS[status] && { headers: WAIT_HEADERS[status] }),
  content: {
    [JSON_TYPE]: {
      schema: closed({
        statusCode: { type: 'integer', enum: [status] },
        code: oneOf(...codes),
        params: schemaRef('ErrorParams'),
      }),
      example: { statusCode: status, code: codes[0], params: { message: 'One sentence that says what went wrong.' } },
    },
  },
});

const wholeNumber = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });
const retryAfter = { 'Retry-After': wholeNumber('In how many seconds to try again.') };

/** The headers of the answers that say when to come back. */
const WAIT_HEADERS: Readonly<Record<number, NonNullable<ApiAnswer['headers']>>> = {
  429: {
    ...retryAfter,
    'RateLimit-Limit': wholeNumber('How many the caller may have, where one number says it.'),
    'RateLimit-Remaining': wholeNumber('How many are left: none.'),
    'RateLimit-Reset': wholeNumber('In how many seconds there may be some again.'),
  },
  503: retryAfter,
};

const ERROR_PARAMS: JsonSchema = {
  type: 'object',
  description: 'What an error is about. Which members there are besides `message` depends on the code.',
  required: ['message'],
  additionalProperties: true,
  properties: {
    message: text('What went wrong, one sentence for a person.'),
    errors: {
      type: 'array',
      description: 'Of `VALIDATION`: what is malformed.',
      items: closed({ path: text('A JSON pointer.'), message: text() }),
    },
  },
};
