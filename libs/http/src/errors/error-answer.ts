import { DomainError, rateLimitHeaders, RateLimitedError, ServiceUnavailableError } from '@millrace/domain';
import { HttpException } from '@nestjs/common';

/** The body of every error answer. `params.message` is one sentence for a person. */
export interface ErrorBody {
  statusCode: number;
  code: string;
  params: Record<string, unknown> & { message: string };
}

export interface ErrorAnswer {
  body: ErrorBody;
  headers: Record<string, string>;
  /** True for an unexpected error, which must be logged with its stack. */
  isBug: boolean;
}

/** The HTTP status for each error code of the interface. */
export const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  VALIDATION: 400,
  FLOW_OPERATION_INVALID: 400,
  FLOW_SCHEMA_UNSUPPORTED: 400,
  AUTHENTICATION: 401,
  INVALID_BEARER_TOKEN: 401,
  INVALID_API_KEY: 401,
  INVALID_CREDENTIALS: 401,
  INVALID_WEBHOOK_SIGNATURE: 401,
  QUOTA_EXCEEDED: 402,
  PERMISSION_DENIED: 403,
  SIGN_UP_DISABLED: 403,
  AUTHORIZATION: 403,
  ENTITY_NOT_FOUND: 404,
  FLOW_DISABLED: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  FLOW_IN_USE: 409,
  FLOW_VERSION_INVALID: 409,
  FLOW_RUN_NOT_PAUSED: 409,
  FLOW_RUN_NOT_RETRYABLE: 409,
  FLOW_RUN_DATA_UNREADABLE: 409,
  JOB_NOT_FAILED: 409,
  PIECE_IN_USE: 409,
  PIECE_INTEGRITY: 409,
  ENTITY_EXISTS: 409,
  LAST_ADMINISTRATOR: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  FLOW_RUN_DATA_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  IDEMPOTENCY_KEY_REUSED: 422,
  TRIGGER_TEST_FAILED: 422,
  PIECE_NOT_INSTALLED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  FLOW_RUN_FAILED: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** The code and the message for errors of the framework, which have only a status. */
const OF_FRAMEWORK: Readonly<Record<number, [code: string, message: string]>> = {
  400: ['VALIDATION', 'The request is malformed.'],
  401: ['AUTHENTICATION', 'This needs credentials.'],
  403: ['PERMISSION_DENIED', 'This is not allowed.'],
  404: ['ROUTE_NOT_FOUND', 'There is nothing at this address.'],
  405: ['METHOD_NOT_ALLOWED', 'This address does not take this method.'],
  408: ['REQUEST_TIMEOUT', 'The request did not arrive in time.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large.'],
  414: ['URI_TOO_LONG', 'The address is too long.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'Bodies of this type are not accepted here.'],
  417: ['EXPECTATION_FAILED', 'This expectation cannot be met; 100-continue can.'],
  429: ['RATE_LIMITED', 'Too many requests; try again later.'],
  431: ['HEADERS_TOO_LARGE', 'The headers are too large.'],
  503: ['SERVICE_UNAVAILABLE', 'The service cannot answer now; try again later.'],
};

/** Returns the answer to a client. For an unexpected error it tells only the id under which the error is logged. */
export function errorAnswer(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof DomainError) return ofDomain(error);
  const status = statusOf(error);
  const known = status === null ? undefined : OF_FRAMEWORK[status];
  if (status !== null && (known || status < 500)) return ofFramework(status, known ?? OF_FRAMEWORK[400]);
  const params = { message: 'Something went wrong in the service.', requestId };
  return { body: { statusCode: 500, code: 'INTERNAL_ERROR', params }, headers: {}, isBug: true };
}

/** For an error of the framework, which does not say when to come back. */
const RETRY_AFTER_SECONDS = 5;

/** Returns the answer for a status of the HTTP parser or the router, which refuse before there is a request. */
export function frameworkAnswer(status: number): ErrorBody {
  return ofFramework(status, OF_FRAMEWORK[status] ?? OF_FRAMEWORK[400]).body;
}

function ofDomain(error: DomainError): ErrorAnswer {
  const statusCode = error.statusCode ?? STATUS_OF_CODE[error.code] ?? 400;
  return {
    body: { statusCode, code: error.code, params: { ...error.params, message: error.message } },
    headers: headersOf(error),
    isBug: false,
  };
}

function headersOf(error: DomainError): Record<string, string> {
  if (error instanceof RateLimitedError) return rateLimitHeaders(error.retryAfterSeconds, error.limit);
  return error instanceof ServiceUnavailableError ? { 'retry-after': String(error.retryAfterSeconds) } : {};
}

function ofFramework(statusCode: number, known: [string, string] | undefined): ErrorAnswer {
  const [code, message] = known ?? ['VALIDATION', 'The request is malformed.'];
  const headers = statusCode === 429 ? rateLimitHeaders(RETRY_AFTER_SECONDS) : {};
  if (statusCode === 503) headers['retry-after'] = String(RETRY_AFTER_SECONDS);
  const errors = code === 'VALIDATION' ? { errors: [{ path: '', message }] } : {};
  return { body: { statusCode, code, params: { message, ...errors } }, headers, isBug: false };
}

/** Returns the status of an error of Nest, Fastify or http-errors, or null for other errors. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : null;
}
