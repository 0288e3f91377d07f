import { operationsOf, type PermissionsDocument, type Schema } from './document-requests';

// Every place of an OpenAPI document where a client puts an id. It is read from the document alone, so that a new route
// or member is noticed before anybody has written a request for it.

/** For instance `POST /api/v1/flows body.folderId`, or `POST /api/v1/flows/{id} header.svc-parent-run-id`. */
export type DocumentId = `${string} ${string} ${'path' | 'query' | 'header' | 'body'}.${string}`;

/** Every parameter of a path is one; elsewhere an id has a name that says so. */
const NAMES_AN_ID = /^ids?$|[a-z]Ids?$|-ids?$/;

export function documentIds(document: PermissionsDocument): DocumentId[] {
  return operationsOf(document).flatMap(([name, { parameters = [], requestBody }]) => {
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, each]) => `path.${each}`);
    const besides = parameters
      .filter((parameter) => parameter.in !== 'path' && NAMES_AN_ID.test(parameter.name))
      .map((parameter) => `${parameter.in}.${parameter.name}`);
    const inBody = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      membersOf(schema, document).map((member) => `body.${member}`),
    );
    return [...new Set([...inPath, ...besides, ...inBody])].map((place) => `${name} ${place}` as DocumentId);
  });
}

/** The names of the members that are ids, at any depth; a nested one is written `request.folderId`. */
function membersOf(schema: Schema | undefined, document: PermissionsDocument, seen: readonly string[] = []): string[] {
  if (!schema) return [];
  const { $ref } = schema;
  if ($ref !== undefined)
    return seen.includes($ref)
      ? []
      : membersOf(document.components.schemas[$ref.split('/').at(-1) ?? ''], document, [...seen, $ref]);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(NAMES_AN_ID.test(name) ? [name] : []),
    ...membersOf(member, document, seen).map((nested) => `${name}.${nested}`),
  ]);
  const parts = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((each) => each ?? []);
  const inside = [...parts, ...(schema.items ? [schema.items] : [])];
  return [...new Set([...own, ...inside.flatMap((each) => membersOf(each, document, seen))])];
}
