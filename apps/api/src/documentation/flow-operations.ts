import { FLOW_OPERATION_TYPES, flowOperationRequest, schemaRef, type JsonSchema } from '@millrace/domain';
import { closed, oneOf } from './step-schemas';

// Describes the body of `POST /flows/{id}`: what each type of operation does, with an example. The operation itself
// says what its request is made of.

interface OperationDescription {
  does: string;
  example: Readonly<Record<string, unknown>>;
}

const someId = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c11';

const exampleTrigger = {
  name: 'trigger',
  displayName: 'Webhook',
  type: 'PIECE_TRIGGER',
  settings: {
    pieceName: 'webhook',
    pieceVersion: '0.1.0',
    triggerName: 'catch_webhook',
    input: { authType: 'none' },
    propertySettings: {},
  },
};

const exampleAction = {
  name: 'step_1',
  displayName: 'Greet',
  type: 'CODE',
  settings: {
    sourceCode: { code: 'export const code = async ({ name }) => `Hello ${name}`;', packageJson: '{}' },
    input: { name: "{{trigger['body']['name']}}" },
  },
};

/** All types of operations. A type must be described here before the service offers it. */
export const FLOW_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  CHANGE_STATUS: {
    does: 'Enables or disables the flow. To enable one never published publishes its valid draft.',
    example: { status: 'DISABLED' },
  },
  IMPORT_FLOW: {
    does: 'Replaces the definition, all or nothing. A template object or an export with `flows` is taken too; older shapes are migrated.',
    example: {
      displayName: 'Greeting',
      trigger: { ...exampleTrigger, nextAction: exampleAction },
      schemaVersion: '20',
      notes: [],
    },
  },
  LOCK_AND_PUBLISH: {
    does: 'Locks the valid draft, publishes it and enables the flow; with nothing new, publishes the latest locked version again. The list of versions shows who did, and the note.',
    example: { note: 'Larger orders need an approval.' },
  },
  LOCK_FLOW: { does: 'Locks the draft without publishing it.', example: {} },
  USE_AS_DRAFT: {
    does: 'Makes the draft what an earlier version was.',
    example: { versionId: someId },
  },
  CHANGE_NAME: {
    does: 'Renames the flow; the name belongs to the version.',
    example: { displayName: 'Orders to the warehouse' },
  },
  CHANGE_FOLDER: {
    does: 'Puts the flow into a folder, or with null into none.',
    example: { folderId: null },
  },
  UPDATE_METADATA: {
    does: 'Replaces what callers keep with the flow, at most 16 KB.',
    example: { metadata: { team: 'logistics' } },
  },
  UPDATE_MINUTES_SAVED: {
    does: 'Notes how many minutes of work one run saves.',
    example: { timeSavedPerRun: 15 },
  },
  UPDATE_OWNER: {
    does: 'Hands the flow to another member of its project.',
    example: { ownerId: someId },
  },
  UPDATE_TRIGGER: {
    does: 'Replaces the trigger and leaves the steps after it.',
    example: exampleTrigger,
  },
  ADD_ACTION: {
    does: 'Adds a step after another, at the start of a loop, or at the start of a branch.',
    example: { parentStep: 'trigger', stepLocationRelativeToParent: 'AFTER', action: exampleAction },
  },
  UPDATE_ACTION: {
    does: 'Replaces a step and leaves what is after and inside it.',
    example: exampleAction,
  },
  DELETE_ACTION: {
    does: 'Deletes steps with what is inside them; what is after them moves up.',
    example: { names: ['step_1'] },
  },
  MOVE_ACTION: {
    does: 'Moves a step with what is inside it.',
    example: { name: 'step_2', newParentStep: 'trigger', stepLocationRelativeToNewParent: 'AFTER' },
  },
  DUPLICATE_ACTION: {
    does: 'Adds a copy of a step, with what is inside it, after it.',
    example: { stepName: 'step_1' },
  },
  SET_SKIP_ACTION: {
    does: 'Has steps skipped in runs, or not any more.',
    example: { names: ['step_1'], skip: true },
  },
  ADD_BRANCH: {
    does: 'Adds a branch to a router.',
    example: {
      stepName: 'router_1',
      branchIndex: 0,
      branchName: 'Large orders',
      conditions: [
        [{ firstValue: "{{trigger['body']['total']}}", operator: 'NUMBER_IS_GREATER_THAN', secondValue: 100 }],
      ],
    },
  },
  DELETE_BRANCH: {
    does: 'Deletes a branch of a router with its steps.',
    example: { stepName: 'router_1', branchIndex: 0 },
  },
  DUPLICATE_BRANCH: {
    does: 'Adds a copy of a branch, with its steps, after it.',
    example: { stepName: 'router_1', branchIndex: 0 },
  },
  MOVE_BRANCH: {
    does: 'Moves a branch among those of its router.',
    example: { stepName: 'router_1', sourceBranchIndex: 0, targetBranchIndex: 1 },
  },
  SAVE_SAMPLE_DATA: {
    does: 'Keeps what a step was given or gave, for building on it; read back by `GET /sample-data`.',
    example: { stepName: 'step_1', payload: { total: 120 }, type: 'OUTPUT' },
  },
  ADD_NOTE: {
    does: 'Pins a note to the draft; without an id it is given one.',
    example: { content: 'Ask the warehouse before changing this.', position: { x: 40, y: 80 } },
  },
  UPDATE_NOTE: {
    does: 'Changes what is given of a note.',
    example: { id: someId, content: 'The warehouse agreed.' },
  },
  DELETE_NOTE: { does: 'Removes a note.', example: { id: someId } },
};

/** `CHANGE_STATUS` is described by `ChangeStatusOperation`. */
const schemaName = (type: string): string => {
  const words = type.toLowerCase().split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Operation`;
};

/**
 * Returns a schema for each operation of the service, and `FlowOperation`, which is any of them. Throws for an
 * operation that is not described.
 */
export function flowOperationSchemas(): Record<string, JsonSchema> {
  const operations = FLOW_OPERATION_TYPES.map((type) => {
    const { does, example } = descriptionOf(type);
    const schema = {
      ...closed({ type: oneOf(type), request: flowOperationRequest(type) }),
      description: does,
      examples: [{ type, request: example }],
    };
    return [schemaName(type), schema] as const;
  });
  const names = operations.map(([name]) => name);
  const mapping = FLOW_OPERATION_TYPES.map((type) => [type, schemaRef(schemaName(type))['$ref']]);
  const FlowOperation = {
    oneOf: names.map(schemaRef),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) as Record<string, unknown> },
  };
  return { ...Object.fromEntries(operations), FlowOperation };
}

/** Returns an example of each operation, for the body of `POST /flows/{id}`. */
export const flowOperationExamples = (): Record<string, { summary: string; value: unknown }> =>
  Object.fromEntries(
    FLOW_OPERATION_TYPES.map((type) => {
      const { does, example } = descriptionOf(type);
      return [type, { summary: does, value: { type, request: example } }];
    }),
  );

function descriptionOf(type: string): OperationDescription {
  const description = FLOW_OPERATIONS[type];
  if (!description) throw new Error(`The flow operation ${type} is not described.`);
  return description;
}
