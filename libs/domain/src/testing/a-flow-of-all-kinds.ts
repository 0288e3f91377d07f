import type { BranchCondition, FlowAction, FlowVersion } from '../flows/flow-version';
import { aFlowVersion, branch, codeStep, fallback, loop, pieceStep, router, webhookTrigger } from './a-flow-version';

/** How many steps a group has. */
const GROUP = 10;

const isFirst: BranchCondition = { firstValue: '{{trigger.body.first}}', operator: 'BOOLEAN_IS_TRUE' };
const isLarge: BranchCondition = {
  firstValue: '{{trigger.body.size}}',
  operator: 'NUMBER_IS_GREATER_THAN',
  secondValue: '100',
};
const isUrgent: BranchCondition = {
  firstValue: '{{trigger.body.text}}',
  operator: 'TEXT_CONTAINS',
  secondValue: 'Urgent',
  caseSensitive: true,
};

/**
 * A flow with a webhook trigger, this many actions (`step_1`, `step_2`, …, in the order of writing) and two notes. Each
 * group of ten contains all kinds: code, pieces, loops with and without a body, both routers, nested and empty
 * branches, a skipped step, and options for failures. A router that takes the first match has the two branches, with
 * their names, of a BRANCH step in old exports.
 */
export function aFlowOfAllKinds(steps: number, more: Partial<FlowVersion> = {}): FlowVersion {
  const groups = Math.floor(steps / GROUP);
  const actions = [...Array(groups).keys()].flatMap((group) => aGroup(group * GROUP));
  for (let index = groups * GROUP + 1; index <= steps; index++) actions.push(codeStep(`step_${index}`));
  return aFlowVersion([], {
    displayName: `All kinds in ${steps} steps`,
    trigger: webhookTrigger(actions, { authType: 'none' }),
    notes: [
      { id: 'note_1', content: 'Orders come in here.', color: 'yellow', position: { x: 10, y: -20 } },
      { id: 'note_2', content: 'Ask **Ann** before a change.', size: { width: 200, height: 90 } },
    ],
    ...more,
  });
}

function aGroup(before: number): FlowAction[] {
  const step = (number: number): string => `step_${before + number}`;
  const bothOptions = { continueOnFailure: { value: true }, retryOnFailure: { value: false } };
  return [
    codeStep(step(1), { order: '{{trigger.body.order}}', nested: { list: [1, 'two', null, { three: true }] } }),
    pieceStep(
      step(2),
      { method: 'POST', url: 'https://example.com/{{trigger.body.id}}', body: { of: `{{${step(1)}.order}}` } },
      { errorHandlingOptions: bothOptions },
    ),
    loop(step(3), '{{trigger.body.items}}', [
      codeStep(step(4), { item: `{{${step(3)}.item}}` }, 'export const code = async ({ item }) => ({ item });'),
      router(step(5), [
        branch('On Success', [[isFirst]], [pieceStep(step(6), { method: 'GET', url: 'https://example.com' })]),
        fallback([codeStep(step(7), {}, undefined, { displayName: 'Do "nothing" / ~ much' })]),
      ]),
    ]),
    router(
      step(8),
      [
        branch('Large or urgent', [[isLarge, isFirst], [isUrgent]], [codeStep(step(9), {}, undefined, { skip: true })]),
        branch('Every one', [[isUrgent]], [loop(step(10), [1, 2, 3])]),
        fallback(),
      ],
      { executionType: 'EXECUTE_ALL_MATCH' },
    ),
  ];
}
