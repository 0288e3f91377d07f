import { FlowSchemaUnsupportedError } from '../../errors/flow-schema-unsupported.error';
import type { PopulatedFlow } from '../flow';
import { SCHEMA_VERSION, type FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { pointer, type JsonReader } from '../json-reader';
import { parseTrigger } from '../parse-trigger';
import { displayNameOf } from '../display-name';
import { editableDraft } from './draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface ImportRequest {
  displayName: string;
  trigger: FlowTrigger;
  notes: unknown[];
}

const NUMERIC = /^\d{1,6}$/;

/** Replaces the definition, all or nothing. Sample data is not taken over. */
export const IMPORT_FLOW: FlowOperationRule<ImportRequest> = { parse, apply, brings: ({ trigger }) => trigger };

function parse(reader: JsonReader): ImportRequest {
  const displayName = displayNameOf(reader);
  const notes = [...reader.list('notes', [])];
  const schemaVersion = reader.text('schemaVersion', undefined);
  if (!reader.has('schemaVersion')) reader.wrong('schemaVersion', 'is required.');
  if (!reader.has('trigger')) reader.wrong('trigger', 'is required.');
  reader.throwIfWrong();
  assertSupported(schemaVersion ?? '');
  const trigger = parseTrigger(reader.any('trigger'), pointer(reader.path, 'trigger'));
  return { displayName, trigger, notes };
}

function assertSupported(schemaVersion: string): void {
  if (!NUMERIC.test(schemaVersion) || Number(schemaVersion) > Number(SCHEMA_VERSION))
    throw new FlowSchemaUnsupportedError(schemaVersion.slice(0, 100));
}

async function apply(current: PopulatedFlow, request: ImportRequest, context: OperationContext): Promise<FlowChange> {
  const { draft, isNewVersion } = editableDraft(current, context);
  const { displayName, trigger, notes } = request;
  const imported = { ...draft, displayName, trigger, notes, schemaVersion: SCHEMA_VERSION };
  const { version } = await context.check(imported);
  const { version: _replaced, ...flow } = current;
  return { flow: { ...flow, updated: context.now }, version, isNewVersion };
}
