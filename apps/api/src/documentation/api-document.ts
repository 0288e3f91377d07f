import type { JsonSchema } from '@millrace/domain';
import { WORKER_PERMISSION } from '../auth/requires.decorator';

// The parts of an OpenAPI document that this folder changes, as plain JSON.

export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly style?: string;
  readonly explode?: boolean;
  readonly example?: unknown;
}

export interface ApiContent {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface ApiAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, ApiContent>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  /** What the caller needs (see auth/requires.decorator.ts). */
  readonly 'x-permission'?: string | readonly string[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, ApiContent>> };
  readonly responses: Readonly<Record<string, ApiAnswer>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [more: string]: unknown };
  readonly [more: string]: unknown;
}

/** An operation with its method, in capitals, and its path. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
  /** The name of the route in error tables: `POST /api/v1/flows/{id}`. */
  readonly name: string;
}

export const JSON_TYPE = 'application/json';

export const needsCredentials = ({ operation }: ApiRoute): boolean => (operation.security ?? []).length > 0;

/** Whether only workers may call the operation. */
export const isForWorkers = ({ operation }: ApiRoute): boolean => operation['x-permission'] === WORKER_PERMISSION;

export const hasParameter = ({ operation }: ApiRoute, place: string, name: string): boolean =>
  (operation.parameters ?? []).some((parameter) => parameter.in === place && parameter.name === name);

/** Returns a document in which `map` has replaced each operation. */
export function mapOperations(document: ApiDocument, map: (route: ApiRoute) => ApiOperation): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([key, operation]) => {
      const method = key.toUpperCase();
      return [key, map({ method, path, operation, name: `${method} ${path}` })] as const;
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Adds schemas to the document. Throws when a schema of the same name exists, because one of the two would be lost. */
export function withSchemas(document: ApiDocument, schemas: Readonly<Record<string, JsonSchema>>): ApiDocument {
  const { components } = document;
  const taken = Object.keys(schemas).find((name) => Object.hasOwn(components.schemas, name));
  if (taken !== undefined) throw new Error(`Two schemas are called ${taken}.`);
  return { ...document, components: { ...components, schemas: { ...components.schemas, ...schemas } } };
}
