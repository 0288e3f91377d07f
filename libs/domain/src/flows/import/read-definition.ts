import { FlowSchemaUnsupportedError } from '../../errors/flow-schema-unsupported.error';
import { InvalidRequestError } from '../../errors/invalid-request.error';
import { schemaRef, type JsonSchema } from '../../json/json-schema';
import { DISPLAY_NAME, displayNameOf } from '../display-name';
import type { FlowDefinition } from '../flow-template';
import { SCHEMA_VERSION, type FlowTrigger } from '../flow-version';
import { isJsonObject, JsonReader, pointer, RequestProblems } from '../../json/json-reader';
import { parseNotes } from '../parse-notes';
import { readTrigger } from '../parse-trigger';
import { migrateSteps } from './migrations/migrations';
import { pointerAsSent } from './migrations/moved-members';

// Reads a definition that arrives alone, in a template, or in an export with a list of flows.
//
// I1. Only members that are listed here and in the parsers of steps are dropped in silence.
// I2. Every problem has the pointer to its place in the request as it was sent.

/** The members of a whole version besides its definition. A new draft has its own values for them. */
const FIELDS_OF_A_VERSION = [
  'id',
  'created',
  'updated',
  'flowId',
  'valid',
  'state',
  'updatedBy',
  'updatedByUser',
  'agentIds',
  'connectionIds',
  'backupFiles',
  'description',
];

/** What a gallery shows about a template. A flow does not store it. */
const FIELDS_OF_A_TEMPLATE = [
  'id',
  'created',
  'updated',
  'description',
  'summary',
  'type',
  'status',
  'tags',
  'pieces',
  'categories',
  'author',
  'blogUrl',
  'imageUrl',
  'metadata',
  'usageCount',
  'projectId',
  'platformId',
  'userId',
  'featuredDescription',
  'isFeatured',
];

const closed = (required: readonly string[], properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

const leftOut = (members: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(members.map((member) => [member, { description: 'It is left out.' }]));

const TRIGGER_SCHEMA: JsonSchema = {
  anyOf: [
    schemaRef('FlowTrigger'),
    {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string' } },
      additionalProperties: true,
      description: 'A trigger in an older shape, or with steps in one. It is migrated.',
    },
  ],
};

const OWN_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  ...leftOut(FIELDS_OF_A_VERSION),
  displayName: DISPLAY_NAME.schema,
  trigger: TRIGGER_SCHEMA,
  schemaVersion: { type: ['string', 'null'], description: 'At most the `schemaVersion` of new flows.' },
  notes: { type: ['array', 'null'], items: { type: 'object', additionalProperties: true } },
};

const MEMBERS_AROUND: Readonly<Record<string, JsonSchema>> = {
  ...leftOut(FIELDS_OF_A_TEMPLATE),
  name: { type: 'string', description: 'The name of the flow, if the definition has none.' },
};

/** A definition inside another object, which may have the name. */
const INNER_SCHEMA = closed(['trigger'], OWN_MEMBERS);

/** The schema of a definition in each of the shapes. */
export const DEFINITION_SCHEMA: JsonSchema = {
  anyOf: [
    { ...closed(['displayName', 'trigger'], OWN_MEMBERS), description: 'A definition.' },
    {
      ...closed(['template'], { ...MEMBERS_AROUND, template: INNER_SCHEMA }),
      description: 'A template, as an answer has it.',
    },
    {
      ...closed(['flows'], {
        ...MEMBERS_AROUND,
        flows: { type: 'array', items: INNER_SCHEMA, minItems: 1, maxItems: 1 },
        tables: { type: 'array', maxItems: 0 },
      }),
      description: 'An export that holds one flow.',
    },
  ],
};

const NUMERIC = /^\d{1,6}$/;
/** The schema version of definitions that have none, because they are older than schema versions. */
const UNNUMBERED = '0';

/** Throws InvalidRequestError and FlowSchemaUnsupportedError. `path` says where the value stands in the body. */
export function parseDefinition(value: unknown, path: string): FlowDefinition {
  if (!isJsonObject(value)) throw new InvalidRequestError([{ path, message: 'must be an object.' }]);
  const reader = new JsonReader(value, path, new RequestProblems());
  const definition = readDefinition(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return definition;
}

/**
 * Reads a definition in any of the shapes and migrates it to our schema version. The caller has to refuse unknown
 * members, and finds the problems of steps in the reader. Throws InvalidRequestError when there are problems outside
 * the steps, and FlowSchemaUnsupportedError.
 */
export function readDefinition(reader: JsonReader): FlowDefinition {
  if (reader.has('template')) return readTemplate(reader);
  if (reader.has('flows')) return readOnlyFlow(reader);
  return readOwn(reader, null);
}

function readTemplate(reader: JsonReader): FlowDefinition {
  readAround(reader);
  const template = reader.inside('template');
  reader.throwIfWrong();
  return readInner(template, reader);
}

function readOnlyFlow(reader: JsonReader): FlowDefinition {
  readAround(reader);
  const tables = reader.list('tables', []);
  if (tables.length > 0) reader.wrong('tables', 'must be empty: there are no tables here.');
  const flows = reader.list('flows', null);
  if (flows && flows.length !== 1) reader.wrong('flows', `must hold exactly one flow, and holds ${flows.length}.`);
  reader.throwIfWrong();
  const [flow] = reader.each('flows', (entry) => entry);
  reader.throwIfWrong();
  return readInner(flow as JsonReader, reader);
}

function readAround(reader: JsonReader): void {
  reader.text('name', undefined);
  acceptUnused(reader, FIELDS_OF_A_TEMPLATE);
}

function readInner(inner: JsonReader, outer: JsonReader): FlowDefinition {
  const definition = readOwn(inner, outer);
  inner.refuseOthers();
  return definition;
}

/** `outer` is the template around the definition. Its name is used when the definition has none. */
function readOwn(reader: JsonReader, outer: JsonReader | null): FlowDefinition {
  const displayName =
    outer?.has('name') && !reader.has('displayName') ? displayNameOf(outer, 'name') : displayNameOf(reader);
  const notes = reader.any('notes') === null ? [] : reader.list('notes', []);
  const parsedNotes = parseNotes(notes, pointer(reader.path, 'notes'), reader.problems);
  const schemaVersion = schemaVersionOf(reader);
  acceptUnused(reader, FIELDS_OF_A_VERSION);
  reader.needs('trigger');
  reader.throwIfWrong();
  assertSupported(schemaVersion);
  const trigger = readMigrated(reader, Number(schemaVersion));
  return { displayName, trigger, schemaVersion: SCHEMA_VERSION, notes: parsedNotes };
}

const schemaVersionOf = (reader: JsonReader): string =>
  reader.any('schemaVersion') === null ? UNNUMBERED : reader.text('schemaVersion', UNNUMBERED);

function assertSupported(schemaVersion: string): void {
  if (!NUMERIC.test(schemaVersion) || Number(schemaVersion) > Number(SCHEMA_VERSION))
    throw new FlowSchemaUnsupportedError(schemaVersion.slice(0, 100));
}

function readMigrated(reader: JsonReader, schemaVersion: number): FlowTrigger {
  const migrated = migrateSteps(reader.any('trigger'), schemaVersion);
  const root = pointer(reader.path, 'trigger');
  const problems = new RequestProblems();
  const trigger = readTrigger(migrated, root, problems);
  for (const { path, message } of problems.found) reader.problems.add(pointerAsSent(migrated, root, path), message);
  return trigger;
}

function acceptUnused(reader: JsonReader, members: readonly string[]): void {
  for (const member of members) reader.any(member);
}
