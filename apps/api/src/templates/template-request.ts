import {
  InvalidRequestError,
  isJsonObject,
  JsonReader,
  MAX_DISPLAY_NAME_LENGTH,
  parseDefinition,
  RequestProblems,
  type FlowDefinition,
} from '@millrace/domain';

const MAX_DESCRIPTION_LENGTH = 10_000;
/** Members of the answer of `GET /flows/:id/template` that a template does not have. */
const FIELDS_OF_AN_EXPORT = ['created'];

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
  const request = {
    projectId: reader.text('projectId', undefined),
    name: nameOf(reader),
    description: descriptionOf(reader),
  };
  const flowId = reader.text('flowId', undefined);
  const versionId = reader.text('versionId', undefined);
  if (reader.has('flowId') === reader.has('template'))
    reader.wrong('template', 'is required, or flowId in its place; never both.');
  if (versionId !== undefined && !reader.has('flowId')) reader.wrong('versionId', 'needs the flowId it belongs to.');
  reader.refuseOthers(FIELDS_OF_AN_EXPORT);
  reader.throwIfWrong();
  const source =
    flowId === undefined ? { definition: parseDefinition(reader.any('template'), '/template') } : { flowId, versionId };
  return { ...request, source };
}

function nameOf(reader: JsonReader): string | undefined {
  const name = reader.text('name', undefined);
  if (name?.trim() === '') reader.wrong('name', 'must not be blank.');
  if (name !== undefined && name.length > MAX_DISPLAY_NAME_LENGTH)
    reader.wrong('name', `must have at most ${MAX_DISPLAY_NAME_LENGTH} characters.`);
  return name;
}

function descriptionOf(reader: JsonReader): string | undefined {
  const description = reader.text('description', undefined);
  if (description !== undefined && description.length > MAX_DESCRIPTION_LENGTH)
    reader.wrong('description', `must have at most ${MAX_DESCRIPTION_LENGTH} characters.`);
  return description;
}
