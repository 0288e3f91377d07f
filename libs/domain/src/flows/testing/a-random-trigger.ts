import {
  branch,
  chain,
  codeStep,
  fallback,
  loop,
  pieceStep,
  router,
  webhookTrigger,
} from '../../testing/a-flow-version';
import { BRANCH_OPERATORS } from '../branch-operators';
import type { BranchCondition, FlowAction, FlowTrigger } from '../flow-version';

/** A random whole number from 0 to `sides - 1`. The same seed gives the same numbers (a linear congruence). */
type Dice = (sides: number) => number;

function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const VALUES: readonly unknown[] = [
  '',
  '{{trigger.body}}',
  'a \'b\' "c" / ~ é \u2028',
  0,
  -1.5,
  null,
  true,
  [],
  {},
  [[1]],
];

/** A trigger with a random tree of steps of all kinds. The same seed gives the same tree. */
export function aRandomTrigger(seed: number): FlowTrigger {
  const dice = diceOf(seed);
  let steps = 0;
  const name = (): string => `step_${++steps}`;
  const value = (): unknown => VALUES[dice(VALUES.length)];
  const input = (): Record<string, unknown> =>
    Object.fromEntries([...Array(dice(4)).keys()].map((index) => [`input ${index}/~`, value()]));
  const condition = (): BranchCondition => ({
    firstValue: value() ?? '',
    operator: BRANCH_OPERATORS[dice(BRANCH_OPERATORS.length)] ?? 'EXISTS',
    ...(dice(2) ? { secondValue: value() } : {}),
    ...(dice(2) ? { caseSensitive: dice(2) === 0 } : {}),
  });
  const conditions = (): BranchCondition[][] =>
    [...Array(dice(3)).keys()].map(() => [...Array(dice(3)).keys()].map(condition));
  const body = (depth: number): FlowAction[] =>
    depth > 4 ? [] : [...Array(dice(5)).keys()].map(() => action(depth + 1));
  const action = (depth: number): FlowAction => {
    const more = dice(3) ? {} : { skip: dice(2) === 0 };
    const errorHandlingOptions = { retryOnFailure: { value: dice(2) === 0 } };
    const kinds: (() => FlowAction)[] = [
      () => codeStep(name(), input(), 'export const code = async () => 1;', { ...more, errorHandlingOptions }),
      () => pieceStep(name(), input(), more),
      () => loop(name(), value() ?? '', body(depth), more),
      () =>
        router(
          name(),
          [
            ...[...Array(dice(4)).keys()].map((index) => branch(`Branch ${index}`, conditions(), body(depth))),
            fallback(body(depth)),
          ],
          { executionType: dice(2) ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH', ...more },
        ),
    ];
    return (kinds[dice(kinds.length)] as () => FlowAction)();
  };
  return { ...webhookTrigger([], input()), nextAction: chain([action(0), ...body(0)]) };
}
