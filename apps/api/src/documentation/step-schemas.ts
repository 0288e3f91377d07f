import { BRANCH_OPERATORS, schemaRef, type JsonSchema } from '@millrace/domain';

// The trigger and the steps of a flow. In requests each step nests the next one, to any depth, and every setting may be
// missing: the step is then not valid. In answers only the trigger itself is described, because a validator would need
// a stack as deep as a flow of a thousand steps.

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

const anyObject = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description });

const inputs = anyObject('Values or expressions, by the name of the input.');
const flag = closed({}, { value: { type: 'boolean' } });
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

const key = text('A text with expressions about the payload, such as `{{ trigger.body.customerId }}`.');
const limit = (most: number, description?: string): JsonSchema => ({
  type: 'number',
  description: `A whole number up to ${most}.${description ? ` ${description}` : ''}`,
});
const overflow = {
  ...oneOf('wait', 'drop'),
  description: 'What becomes of a run for which there is no room. Default: `wait`.',
};

/** A number out of its bounds makes the trigger invalid, and is not refused. */
const controlSettings: Readonly<Record<string, JsonSchema>> = {
  concurrency: closed({}, { limit: limit(10_000), key, overflow }),
  rateLimit: closed({}, { limit: limit(10_000), windowSeconds: limit(86_400), key, overflow }),
  dedupe: closed({}, { key, windowSeconds: limit(2_592_000) }),
  debounce: closed({}, { seconds: limit(86_400), key }),
  batch: closed({}, { size: limit(1_000), seconds: limit(86_400), key }),
};

/** Describes settings, of which each may be missing. Clients send them back as they got them. */
const settingsOf = (members: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  closed({}, { ...members, sampleData: anyObject('Of an answer. It is left out.') });

const condition = closed(
  {},
  {
    firstValue: {},
    operator: text(`One of ${BRANCH_OPERATORS.join(', ')}; any other makes the step invalid.`),
    secondValue: {},
    caseSensitive: { type: 'boolean' },
  },
);

const branches: JsonSchema = {
  oneOf: [
    closed(
      { branchType: oneOf('CONDITION') },
      {
        branchName: text(),
        conditions: {
          type: 'array',
          items: { type: 'array', items: condition },
          description: 'OR-groups of AND-conditions.',
        },
      },
    ),
    closed({ branchType: oneOf('FALLBACK') }, { branchName: text() }),
  ],
};

const nextAction = { anyOf: [schemaRef('FlowAction'), { type: 'null' }] };

const stepMembers = {
  displayName: text('What people call the step. Default: its name.'),
  valid: { type: 'boolean', description: 'Computed by the service. It is left out.' },
  nextAction,
};

const action = (type: string, settings: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  closed({ name, type: oneOf(type) }, { settings, skip: { type: 'boolean' }, ...stepMembers, ...more });

const trigger = (type: string, settings: JsonSchema): JsonSchema =>
  closed({ type: oneOf(type) }, { name, settings, ...stepMembers });

/** The schemas `FlowTrigger` and `FlowAction` of requests, and `StoredTrigger` of answers. */
export const STEP_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  FlowTrigger: {
    description: 'The trigger, which nests the first step in `nextAction`.',
    oneOf: [
      trigger('EMPTY', settingsOf({})),
      trigger('PIECE_TRIGGER', settingsOf({ ...pieceSettings('triggerName'), ...controlSettings })),
    ],
  },
  FlowAction: {
    description: 'A step after the trigger; `nextAction` is the next step.',
    oneOf: ['CodeAction', 'PieceAction', 'LoopAction', 'RouterAction'].map(schemaRef),
  },
  CodeAction: action(
    'CODE',
    settingsOf({
      sourceCode: closed(
        {},
        { code: text('TypeScript or JavaScript.'), packageJson: text('JSON text. Default: `{}`.') },
      ),
      input: inputs,
      errorHandlingOptions,
    }),
  ),
  PieceAction: action('PIECE', settingsOf({ ...pieceSettings('actionName'), errorHandlingOptions })),
  LoopAction: action(
    'LOOP_ON_ITEMS',
    settingsOf({ items: { description: 'A list, or an expression that gives one.' } }),
    { firstLoopAction: nextAction },
  ),
  RouterAction: action(
    'ROUTER',
    settingsOf({
      executionType: {
        ...oneOf('EXECUTE_FIRST_MATCH', 'EXECUTE_ALL_MATCH'),
        description: 'Default: `EXECUTE_FIRST_MATCH`.',
      },
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
