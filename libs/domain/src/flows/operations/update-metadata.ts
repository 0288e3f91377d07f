import { isDeepStrictEqual } from 'node:util';
import type { Flow, PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { orNull, shapeOf, type Member } from '../../json/request-shape';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule } from './flow-operation';

/** The largest size of the metadata as JSON text. */
export const MAX_METADATA_BYTES = 16 * 1024;

const METADATA: Member<Record<string, unknown>> = {
  read(reader, name) {
    reader.needs(name);
    const metadata = reader.object(name, {});
    if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
      reader.wrong(name, `must be at most ${MAX_METADATA_BYTES} bytes of JSON.`);
    return metadata;
  },
  schema: { type: 'object', additionalProperties: true },
};

/** Replaces the metadata that callers store with the flow; null removes it. */
export const UPDATE_METADATA: FlowOperationRule<Pick<Flow, 'metadata'>> = {
  request: shapeOf({ metadata: orNull(METADATA) }),
  apply: updateMetadata,
};

function updateMetadata(current: PopulatedFlow, { metadata }: Pick<Flow, 'metadata'>): FlowChange {
  return isDeepStrictEqual(current.metadata, metadata) ? unchanged(current) : changeFlow(current, { metadata });
}
