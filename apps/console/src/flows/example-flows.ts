import type { FlowSource } from './flow-files';

/** A flow to begin with, and what its trigger gives at its first run. */
export interface Example {
  id: string;
  name: string;
  says: string;
  source: FlowSource;
  payload: unknown;
}

const step = (name: string, displayName: string, type: string, settings: object, more: object = {}) => ({
  name,
  displayName,
  type,
  settings,
  ...more,
});

const trigger = (pieceName: string, triggerName: string, displayName: string, input: object, nextAction: object) =>
  step(
    'trigger',
    displayName,
    'PIECE_TRIGGER',
    { pieceName, pieceVersion: '0.1.0', triggerName, input },
    { nextAction },
  );

const webhook = (displayName: string, nextAction: object) =>
  trigger('webhook', 'catch_webhook', displayName, { authType: 'none' }, nextAction);

const code = (name: string, displayName: string, source: string, input: object, more: object = {}) =>
  step(name, displayName, 'CODE', { sourceCode: { code: source, packageJson: '{}' }, input }, more);

const action = (name: string, displayName: string, pieceName: string, actionName: string, input: object, more = {}) =>
  step(name, displayName, 'PIECE', { pieceName, pieceVersion: '0.1.0', actionName, input }, more);

/** Takes the first branch if the condition holds, and the second otherwise. */
const router = (name: string, displayName: string, condition: object, [first, second]: [object, object]) =>
  step(
    name,
    displayName,
    'ROUTER',
    {
      executionType: 'EXECUTE_FIRST_MATCH',
      branches: [
        { branchType: 'CONDITION', branchName: 'Yes', conditions: [[condition]] },
        { branchType: 'FALLBACK', branchName: 'No' },
      ],
    },
    { children: [first, second] },
  );

const flow = (displayName: string, head: object): FlowSource => ({
  name: displayName,
  definition: { displayName, schemaVersion: '20', trigger: head, notes: [] },
});

const GREET = 'export const code = async ({ name }) => ({ greeting: `Hello, ${name || "stranger"}!` });';

const greeting = webhook(
  'Somebody calls',
  code(
    'greet',
    'Make a greeting',
    GREET,
    { name: '{{trigger.body.name}}' },
    {
      nextAction: action('answer', 'Answer the caller', 'webhook', 'return_response', {
        responseType: 'json',
        fields: { status: 200, body: '{{greet}}' },
      }),
    },
  ),
);

const PRICE = 'export const code = async ({ line }) => line.price * line.quantity;';
const ADD_UP =
  'export const code = async ({ lines }) =>\n  lines.reduce((sum, line) => sum + line.price * line.quantity, 0);';

const orders = webhook(
  'An order comes in',
  step(
    'each_line',
    'Each line',
    'LOOP_ON_ITEMS',
    { items: '{{trigger.body.lines}}' },
    {
      firstLoopAction: code('price', 'Price of the line', PRICE, { line: '{{each_line.item}}' }),
      nextAction: code(
        'total',
        'Add up',
        ADD_UP,
        { lines: '{{trigger.body.lines}}' },
        {
          nextAction: router(
            'size',
            'A large order?',
            { firstValue: '{{total}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: '100' },
            [
              code('by_hand', 'Pack by hand', 'export const code = async ({ total }) => `By hand: ${total}`;', {
                total: '{{total}}',
              }),
              code(
                'by_machine',
                'Pack by machine',
                'export const code = async ({ total }) => `By machine: ${total}`;',
                {
                  total: '{{total}}',
                },
              ),
            ],
          ),
        },
      ),
    },
  ),
);

const refunds = trigger(
  'manual',
  'manual_trigger',
  'Somebody asks for money back',
  {},
  action(
    'ask',
    'Ask a person',
    'approval',
    'wait_for_approval',
    {},
    {
      nextAction: router('answer', 'Approved?', { firstValue: '{{ask.approved}}', operator: 'BOOLEAN_IS_TRUE' }, [
        code('pay', 'Pay it back', 'export const code = async () => "paid";', {}),
        code('refuse', 'Say no', 'export const code = async () => "refused";', {}),
      ]),
    },
  ),
);

export const EXAMPLES: readonly Example[] = [
  {
    id: 'greeting',
    name: 'Answer a call',
    says: 'A webhook takes a name, code makes a greeting of it, and the caller gets the answer.',
    source: flow('Example: answer a call', greeting),
    payload: { body: { name: 'Ada' }, headers: {}, queryParams: {} },
  },
  {
    id: 'orders',
    name: 'Add up an order',
    says: 'A loop goes over the lines of an order, code adds them up, and a router takes one of two ways.',
    source: flow('Example: add up an order', orders),
    payload: {
      body: {
        lines: [
          { article: 'lamp', price: 40, quantity: 2 },
          { article: 'bulb', price: 5, quantity: 6 },
        ],
      },
      headers: {},
      queryParams: {},
    },
  },
  {
    id: 'refunds',
    name: 'Ask a person',
    says: 'A run waits until somebody approves it, which you do under Approvals, and goes on from there.',
    source: flow('Example: ask a person', refunds),
    payload: {},
  },
];
