import { schemaRef, type JsonSchema } from '@millrace/domain';
import {
  JSON_TYPE,
  isForWorkers,
  mapOperations,
  needsCredentials,
  type ApiAnswer,
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  type ApiRoute,
} from './api-document';
import { IDEMPOTENCY_KEY } from '../idempotency/idempotency-key';

// Describes once what many operations have in common.

const ETAG = { description: 'The revision of the flow, for `If-Match`.', schema: { type: 'string' } };

/**
 * Adds the headers that every POST of a user or key takes, the form of lists in a query, and `additionalProperties: false` in schemas.
 */
export function describeConventions(document: ApiDocument): ApiDocument {
  const described = mapOperations(document, (route) => ({
    ...route.operation,
    parameters: [
      ...(route.operation.parameters ?? []).map(asList),
      ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    responses: answersWithHeaders(route),
  }));
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => [name, closedSchema(schema)] as const,
  );
  return { ...described, components: { ...described.components, schemas: Object.fromEntries(schemas) } };
}

const takesIdempotencyKey = (route: ApiRoute): boolean =>
  route.method === 'POST' && needsCredentials(route) && !isForWorkers(route);

/**
 * Documents a list as `status=A&status=B`. The service accepts two other forms of lists, which clients need not know.
 */
const asList = (parameter: ApiParameter): ApiParameter =>
  parameter.in === 'query' && parameter.schema?.['type'] === 'array'
    ? { ...parameter, style: 'form', explode: true }
    : parameter;

const REPLAYED = {
  description: '`true` when this is the answer to an earlier request with the same Idempotency-Key.',
  schema: { type: 'string', enum: ['true'] },
};

function answersWithHeaders(route: ApiRoute): ApiOperation['responses'] {
  const answers = Object.entries(route.operation.responses).map(([status, answer]) => {
    const own = {
      ...(takesIdempotencyKey(route) ? { 'Idempotent-Replayed': REPLAYED } : {}),
      ...(isOneFlow(answer) ? { ETag: ETAG } : {}),
    };
    const isSuccess = status.startsWith('2') && Object.keys(own).length > 0;
    return [status, isSuccess ? { ...answer, headers: { ...answer.headers, ...own } } : answer];
  });
  return Object.fromEntries(answers) as ApiOperation['responses'];
}

const isOneFlow = (answer: ApiAnswer): boolean =>
  answer.content?.[JSON_TYPE]?.schema?.['$ref'] === schemaRef('Flow')['$ref'];

/**
 * Gives each public operation an empty `security` list, which says that it needs no credentials. An operation without
 * `security` would look like an oversight.
 */
export const sayWhatIsPublic = (document: ApiDocument): ApiDocument =>
  mapOperations(document, ({ operation }) => ({ ...operation, security: operation.security ?? [] }));

/** Closes a schema: requests and answers have no members that the schema does not name. */
function closedSchema(schema: JsonSchema): JsonSchema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, closedInside(keyword, value)]),
  );
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema || 'allOf' in schema;
  return isOpen ? inner : { ...inner, additionalProperties: false };
}

function closedInside(keyword: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (keyword === 'properties')
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, closedSchema(schema as JsonSchema)]),
    );
  if (keyword === 'items') return closedSchema(value as JsonSchema);
  if ((keyword === 'oneOf' || keyword === 'anyOf') && Array.isArray(value))
    return (value as JsonSchema[]).map(closedSchema);
  return value;
}
