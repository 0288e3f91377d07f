import type { Schema } from './sample-values';

// The requests of an OpenAPI document whose members are all known: queries, bodies, and requests of flow operations.

export interface ObjectSchema extends Schema {
  required?: string[];
  properties: Record<string, Schema>;
  additionalProperties: false;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

export interface RequestsDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema & { examples?: { type: string; request: object }[] }> };
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: object }> };
}

export type Place = 'query' | 'body' | 'request';

export interface DescribedRequest {
  /** For instance `POST /api/v1/folders body`. */
  name: string;
  method: string;
  path: string;
  place: Place;
  /** The type of the flow operation, if it is one. */
  type?: string;
  schema: ObjectSchema;
  /** Values that the service accepts. */
  example: Readonly<Record<string, unknown>>;
}

export function describedRequests(document: RequestsDocument): DescribedRequest[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => [
      ...queryOf(method.toUpperCase(), path, operation),
      ...bodyOf(method.toUpperCase(), path, operation, document),
    ]),
  );
  return [...operations, ...flowOperations(document)];
}

function queryOf(method: string, path: string, { parameters = [] }: Operation): DescribedRequest[] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return [];
  const required = query.filter((parameter) => parameter.required);
  const schema: ObjectSchema = {
    required: required.map(({ name }) => name),
    properties: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
    additionalProperties: false,
  };
  const example = Object.fromEntries(required.map((each) => [each.name, each.schema.enum?.[0] ?? 'x']));
  return [{ name: `${method} ${path} query`, method, path, place: 'query', schema, example }];
}

function bodyOf(method: string, path: string, operation: Operation, document: RequestsDocument): DescribedRequest[] {
  const content = operation.requestBody?.content['application/json'];
  const schema = content?.schema && resolved(content.schema, document);
  if (!isClosed(schema)) return [];
  return [{ name: `${method} ${path} body`, method, path, place: 'body', schema, example: { ...content?.example } }];
}

function flowOperations({ components }: RequestsDocument): DescribedRequest[] {
  return Object.values(components.schemas).flatMap(({ properties = {}, examples = [] }) => {
    const { request } = properties;
    const example = examples[0];
    if (!example || !isClosed(request)) return [];
    const { type } = example;
    const path = '/api/v1/flows/{id}';
    return [
      { name: type, method: 'POST', path, place: 'request', type, schema: request, example: { ...example.request } },
    ];
  });
}

const isClosed = (schema: Schema | undefined): schema is ObjectSchema =>
  schema?.additionalProperties === false && schema.properties !== undefined;

const resolved = (schema: Schema, { components }: RequestsDocument): Schema | undefined =>
  schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
