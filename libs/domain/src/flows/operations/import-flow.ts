import { flag, optional, worded } from '../../json/request-shape';
import type { JsonSchema } from '../../json/json-schema';
import type { PopulatedFlow } from '../flow';
import type { FlowDefinition } from '../flow-template';
import type { FlowChange } from '../flow.repository';
import { DEFINITION_SCHEMA, readDefinition } from '../import/read-definition';
import { forgettingGone, withMarksOf } from '../sample-data-marks';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface ImportFlowRequest {
  definition: FlowDefinition;
  keepSampleData: boolean;
}

const KEEP_SAMPLE_DATA = worded(optional(flag()), {
  description: 'Keeps the sample data of the steps whose names stay. Default: the import clears all of it.',
});

/**
 * Replaces the whole definition by one in any known shape (import/read-definition.ts). It imports no sample data, and
 * clears that of the flow, unless the request keeps it.
 */
export const IMPORT_FLOW: FlowOperationRule<ImportFlowRequest> = {
  request: {
    read: (reader) => ({
      keepSampleData: KEEP_SAMPLE_DATA.read(reader, 'keepSampleData') ?? false,
      definition: readDefinition(reader),
    }),
    schema: withMember(DEFINITION_SCHEMA, 'keepSampleData', KEEP_SAMPLE_DATA.schema),
  },
  brings: ({ definition: { trigger } }) => trigger,
  apply,
};

async function apply(
  current: PopulatedFlow,
  { definition, keepSampleData }: ImportFlowRequest,
  context: OperationContext,
): Promise<FlowChange> {
  if (!keepSampleData)
    return { ...(await editDraft(current, context, () => definition)), sampleData: { kind: 'clear' } };
  const trigger = withMarksOf(current.version.trigger, definition.trigger);
  const edited = await editDraft(current, context, () => ({ ...definition, trigger }));
  return { ...edited, ...forgettingGone(current.version.trigger, trigger) };
}

/** A schema of several shapes, each with one more member. */
function withMember({ anyOf, ...schema }: JsonSchema, name: string, member: JsonSchema): JsonSchema {
  const shapes = anyOf as readonly JsonSchema[];
  return {
    ...schema,
    anyOf: shapes.map((shape) => ({ ...shape, properties: { ...(shape['properties'] as object), [name]: member } })),
  };
}
