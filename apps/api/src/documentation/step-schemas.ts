import { BRANCH_OPERATORS, schemaRef, type JsonSchema } from '@millrace/domain';

// The trigger and the steps of a flow. In requests each step nests the next one, to any depth. In answers only the
// trigger itself is described, because a validator would need a stack as deep as a flow of a thousand steps.

export const text = (description?: string): JsonSchema => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
});

export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

/** Describes an object with these members and no others. The members of `required` must be present. */
export const closed = (
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
  properties: { ...required, ...optional },
  additionalProperties: false,
});

/**
 * Describes an object like `closed`, but allows other members: older exports have them, and they are migrated or left
 * out.
 */
const open = (
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({ ...closed(required, optional), additionalProperties: true });

const anyObject = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description });

const inputs = anyObject('Values or expressions, by the name of the input.');
const flag = closed({ value: { type: 'boolean' } });
const errorHandlingOptions = closed({}, { continueOnFailure: flag, retryOnFailure: flag });
const name = {
  type: 'string',
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  maxLength: 100,
  description: 'The name of the step, unique in the version.',
};

const pieceSettings = (operation: 'triggerName' | 'actionName'): Readonly<Record<string, JsonSchema>> => ({
  pieceName: text('A built-in piece (`GET /pieces`), or a public name that is mapped onto one.'),
  pieceVersion: text(),
  [operation]: text(),
  input: inputs,
  propertySettings: anyObject('Kept for editors.'),
});

const condition = closed(
  { firstValue: {}, operator: text(`One of ${BRANCH_OPERATORS.join(', ')}; any other makes the step invalid.`) },
  { secondValue: {}, caseSensitive: { type: 'boolean' } },
);

const branches: JsonSchema = {
  oneOf: [
    closed({
      branchType: oneOf('CONDITION'),
      branchName: text(),
      conditions: {
        type: 'array',
        items: { type: 'array', items: condition },
        description: 'OR-groups of AND-conditions.',
      },
    }),
    closed({ branchType: oneOf('FALLBACK'), branchName: text() }),
  ],
};

const nextAction = { anyOf: [schemaRef('FlowAction'), { type: 'null' }] };

const action = (type: string, settings: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  open(
    { name, type: oneOf(type), settings },
    { displayName: text(), valid: { type: 'boolean' }, skip: { type: 'boolean' }, nextAction, ...more },
  );

const trigger = (type: string, settings: JsonSchema): JsonSchema =>
  open({ type: oneOf(type), settings }, { name, displayName: text(), valid: { type: 'boolean' }, nextAction });

/** The schemas `FlowTrigger` and `FlowAction` of requests, and `StoredTrigger` of answers. */
export const STEP_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  FlowTrigger: {
    description: 'The trigger, which nests the first step in `nextAction`.',
    oneOf: [trigger('EMPTY', anyObject('Nothing.')), trigger('PIECE_TRIGGER', open({}, pieceSettings('triggerName')))],
  },
  FlowAction: {
    description: 'A step after the trigger; `nextAction` is the next step.',
    oneOf: ['CodeAction', 'PieceAction', 'LoopAction', 'RouterAction'].map(schemaRef),
  },
  CodeAction: action(
    'CODE',
    open(
      { sourceCode: closed({ code: text('TypeScript or JavaScript.'), packageJson: text('JSON text.') }) },
      { input: inputs, errorHandlingOptions },
    ),
  ),
  PieceAction: action('PIECE', open({}, { ...pieceSettings('actionName'), errorHandlingOptions })),
  LoopAction: action('LOOP_ON_ITEMS', open({ items: { description: 'A list, or an expression that gives one.' } }), {
    firstLoopAction: nextAction,
  }),
  RouterAction: action(
    'ROUTER',
    open({
      executionType: oneOf('EXECUTE_FIRST_MATCH', 'EXECUTE_ALL_MATCH'),
      branches: { type: 'array', items: branches },
    }),
    {
      children: {
        type: 'array',
        items: nextAction,
        description: 'The first step of each of `branches`, in their order; null for an empty branch.',
      },
    },
  ),
  StoredTrigger: {
    ...closed(
      {
        name,
        displayName: text(),
        type: oneOf('EMPTY', 'PIECE_TRIGGER'),
        settings: anyObject('Empty for `EMPTY`; see `FlowTrigger`.'),
        valid: { type: 'boolean', description: 'Computed by the service.' },
      },
      { nextAction: anyObject('The first step; see `FlowAction`.') },
    ),
    description: 'The trigger, which nests the first step in `nextAction`.',
  },
};
