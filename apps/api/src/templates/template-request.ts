import {
  DISPLAY_NAME,
  InvalidRequestError,
  isJsonObject,
  JsonReader,
  optional,
  parseDefinition,
  RequestProblems,
  shapeOf,
  text,
  worded,
  type FlowDefinition,
  type JsonSchema,
  type Member,
} from '@millrace/domain';

const MAX_DESCRIPTION_LENGTH = 10_000;
/** The content of a new template: a definition in the request, or a version of a flow. */
export interface TemplateRequest {
  projectId: string | undefined;
  name: string | undefined;
  description: string | undefined;
  source: { definition: FlowDefinition } | { flowId: string; versionId: string | undefined };
}

/**
 * Reads the body of `POST /templates`, which is no DTO because it may hold a whole flow. Throws InvalidRequestError.
 */
export function parseTemplateRequest(body: unknown): TemplateRequest {
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const { projectId, name, description, template, flowId, versionId } = REQUEST.read(reader);
  if (reader.has('flowId') === reader.has('template'))
    reader.wrong('template', 'is required, or flowId in its place; never both.');
  if (typeof reader.any('versionId') === 'string' && !reader.has('flowId'))
    reader.wrong('versionId', 'needs the flowId it belongs to.');
  reader.refuseOthers();
  reader.throwIfWrong();
  const source = flowId === undefined ? { definition: parseDefinition(template, '/template') } : { flowId, versionId };
  return { projectId, name, description, source };
}

/** A definition. It is read last, by its own rules. */
const DEFINITION: Member<unknown> = {
  read: (reader, name) => reader.any(name),
  schema: { type: 'object', additionalProperties: true, description: 'A definition, or an exported flow.' },
};

/** A member of the answers of `GET /templates/:id` and `GET /flows/:id/template`, so that they can be sent as they are. */
const LEFT_OUT: Member<unknown> = {
  read: (reader, name) => reader.any(name),
  schema: { description: 'Of an answer. It is left out: the new template has its own.' },
  isOptional: true,
};

const REQUEST = shapeOf({
  projectId: optional(
    text({ description: 'The project. It may be left out when the caller has a role in only one project.' }),
  ),
  name: optional(
    worded(DISPLAY_NAME, {
      description: 'The name of the template. Default: the name of the flow.',
      example: 'Welcome new customers',
    }),
  ),
  description: optional(text({ maxLength: MAX_DESCRIPTION_LENGTH })),
  template: optional(DEFINITION),
  flowId: optional(text({ description: 'The id of a flow of the project.' })),
  versionId: optional(text({ description: 'The id of a version of the flow. Default: the latest version.' })),
  id: LEFT_OUT,
  created: LEFT_OUT,
  updated: LEFT_OUT,
});

/** The schema of the body. */
export const TEMPLATE_SCHEMA: JsonSchema = {
  ...REQUEST.schema,
  description: 'A new template. Give exactly one of `template` and `flowId`.',
};
