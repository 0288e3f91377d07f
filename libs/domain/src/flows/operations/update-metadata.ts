import { isDeepStrictEqual } from 'node:util';
import type { Flow, PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule } from './flow-operation';

/** The largest size of the metadata as JSON text. */
export const MAX_METADATA_BYTES = 16 * 1024;

/** Replaces the metadata that callers store with the flow; null removes it. */
export const UPDATE_METADATA: FlowOperationRule<Flow['metadata']> = { parse, apply: updateMetadata };

function parse(reader: JsonReader): Flow['metadata'] {
  reader.needs('metadata');
  if (reader.any('metadata') === null) return null;
  const metadata = reader.object('metadata', {});
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    reader.wrong('metadata', `must be at most ${MAX_METADATA_BYTES} bytes of JSON.`);
  return metadata;
}

function updateMetadata(current: PopulatedFlow, metadata: Flow['metadata']): FlowChange {
  return isDeepStrictEqual(current.metadata, metadata) ? unchanged(current) : changeFlow(current, { metadata });
}
