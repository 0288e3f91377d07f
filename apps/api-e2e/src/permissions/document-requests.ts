import { PROJECT_ROLES, grants, type Permission, type ProjectRole } from '@millrace/domain';
import { PLACES_OF_IDS, kindOf } from './id-kinds';
import type { Kind } from './tenant';

// A request for each operation of the OpenAPI document: with its example as body, and with ids where it takes ids.

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: { type?: string; enum?: unknown[] };
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  security: unknown[];
  'x-permission'?: string | string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
}

export interface PermissionsDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema & { examples?: { type: string; request: Json }[] }> };
}

/** The place of an id in a request. */
export interface IdPlace {
  in: 'path' | 'query' | 'header' | 'body' | 'operation';
  name: string;
  kind: Kind;
  isList: boolean;
}

export interface DocumentRequest {
  /** For instance `POST /api/v1/flows/{id} ADD_NOTE`. */
  name: string;
  /** For instance `POST /api/v1/flows/{id}`. */
  operation: string;
  method: string;
  path: string;
  query: Json;
  body: unknown;
  permission: string;
  places: readonly IdPlace[];
}

export function operationsOf(document: PermissionsDocument): [name: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** The roles that may send the request, as the table of permissions has it. */
export const rolesFor = ({ permission }: DocumentRequest): readonly ProjectRole[] =>
  PROJECT_ROLES.filter((role) => permission === 'CREDENTIALS' || grants(role, permission as Permission));

/** The requests of all operations with these names. */
export const documentRequests = (
  document: PermissionsDocument,
  isAsked: (name: string, operation: Operation) => boolean,
): DocumentRequest[] =>
  operationsOf(document)
    .filter(([name, operation]) => isAsked(name, operation))
    .flatMap(([name, operation]) => requestsOf(name, operation, document));

/** A chart until now has another bucket a moment later, so one bucket is asked for. Its answers then differ by runs alone. */
const ALSO_ASKED: Readonly<Record<string, Json>> = { 'GET /api/v1/flow-runs/histogram': { buckets: 1 } };

function requestsOf(name: string, operation: Operation, document: PermissionsDocument): DocumentRequest[] {
  const [method = '', path = ''] = name.split(' ');
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const required = query.filter((parameter) => parameter.required && !/id$/i.test(parameter.name));
  const permissions = [operation['x-permission'] ?? []].flat();
  const places: IdPlace[] = [
    ...[...path.matchAll(/\{(\w+)\}/g)].flatMap(([, each = '']) => placeOf('path', each, path)),
    ...parameters.flatMap(({ in: where, name: each, schema }) =>
      where === 'query' || where === 'header' ? placeOf(where, each, path, schema.type === 'array') : [],
    ),
  ];
  const base = {
    operation: name,
    method,
    path,
    query: {
      ...Object.fromEntries(required.map((each) => [each.name, each.schema.enum?.[0] ?? 'x'])),
      ...ALSO_ASKED[name],
    },
    permission: permissions[0] ?? '',
  };
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  if (content?.examples && Object.hasOwn(document.components.schemas, 'FlowOperation') && permissions.length > 1)
    return flowOperations(document).map(({ type, request, members }) => ({
      ...base,
      name: `${name} ${type}`,
      body: { type, request },
      permission: type === 'CHANGE_STATUS' ? 'UPDATE_FLOW_STATUS' : 'WRITE_FLOW',
      places: [...places, ...members.flatMap((member) => placeOf('operation', member, path))],
    }));
  const inBody = Object.entries(resolved(content?.schema, document)?.properties ?? {}).flatMap(([member, schema]) =>
    placeOf('body', member, path, schema.type === 'array'),
  );
  return [{ ...base, name, body: content?.example, places: [...places, ...inBody] }];
}

function flowOperations({ components }: PermissionsDocument) {
  return Object.values(components.schemas).flatMap(({ properties = {}, examples = [] }) => {
    const [example] = examples;
    if (!example || !properties['request']) return [];
    return [{ ...example, members: Object.keys(properties['request'].properties ?? {}) }];
  });
}

function placeOf(where: IdPlace['in'], name: string, path: string, isList = false): IdPlace[] {
  if (where !== 'path' && !PLACES_OF_IDS.test(name)) return [];
  const kind = kindOf(name, path, where === 'path');
  return kind === null ? [] : [{ in: where, name, kind, isList }];
}

const resolved = (schema: Schema | undefined, { components }: PermissionsDocument): Schema | undefined =>
  schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
