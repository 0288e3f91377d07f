import type { PopulatedFlow } from '../flow';
import type { FlowDefinition } from '../flow-template';
import type { FlowChange } from '../flow.repository';
import { DEFINITION_SCHEMA, readDefinition } from '../import/read-definition';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/**
 * Replaces the whole definition by one in any known shape (import/read-definition.ts). It clears the sample data of the
 * flow and imports none.
 */
export const IMPORT_FLOW: FlowOperationRule<FlowDefinition> = {
  request: { read: readDefinition, schema: DEFINITION_SCHEMA },
  brings: ({ trigger }) => trigger,
  apply,
};

async function apply(
  current: PopulatedFlow,
  definition: FlowDefinition,
  context: OperationContext,
): Promise<FlowChange> {
  const edited = await editDraft(current, context, () => ({ ...definition }));
  return { ...edited, sampleData: { kind: 'clear' } };
}
