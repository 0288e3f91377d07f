import { bodiesOf, placeAfter, stepsOf, type Place, type Step } from '../../flow-picture/step';
import { copySteps } from '../copy-steps';
import type { Definition } from '../definition';
import { branchesOf } from '../edit-flow';
import type { Operation } from '../operation';
import { alone, bare, namesOf } from '../step-tree';

/** A whole number from 0 to `sides - 1`. */
export type Dice = (sides: number) => number;

/** The same seed gives the same numbers (a linear congruence). */
export function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** What a person might do next with a flow: each operation that the editor makes, and edits of several. */
export function randomEdit(flow: Definition, dice: Dice): Operation[] {
  const edits = EDITS.map((edit) => edit);
  for (;;) {
    const made = edits[dice(edits.length)]?.(flow, dice);
    if (made && made.length > 0) return made;
  }
}

type RandomEdit = (flow: Definition, dice: Dice) => Operation[];

const one = <T>(values: readonly T[], dice: Dice): T | undefined => values[dice(values.length)];
const actions = ({ trigger }: Definition): Step[] => Array.from(stepsOf(trigger)).slice(1);
const routers = (flow: Definition): Step[] => actions(flow).filter(({ type }) => type === 'ROUTER');
const places = ({ trigger }: Definition): Place[] =>
  Array.from(stepsOf(trigger)).flatMap((step) => [placeAfter(step), ...bodiesOf(step).map(({ place }) => place)]);
const freeName = ({ trigger }: Definition): string => {
  const taken = namesOf(trigger);
  let number = 1;
  while (taken.has(`step_${number}`)) number += 1;
  return `step_${number}`;
};

const newSteps: ((name: string) => Step)[] = [
  (name) => ({
    name,
    displayName: 'Code',
    type: 'CODE',
    valid: true,
    settings: {
      sourceCode: { code: 'export const code = () => 1;', packageJson: '{}' },
      input: { b: 1, a: '{{ step_1 }}' },
    },
  }),
  (name) => ({
    name,
    displayName: 'Loop',
    type: 'LOOP_ON_ITEMS',
    valid: true,
    settings: { items: '{{ step_2.items }}' },
  }),
  (name) => ({
    name,
    displayName: 'Router',
    type: 'ROUTER',
    valid: true,
    skip: false,
    settings: {
      executionType: 'EXECUTE_ALL_MATCH',
      branches: [
        {
          branchType: 'CONDITION',
          branchName: 'One',
          conditions: [[{ firstValue: '{{ trigger }}', operator: 'EXISTS' }]],
        },
        { branchType: 'FALLBACK', branchName: 'Otherwise' },
      ],
    },
    children: [null, null],
  }),
];

const EDITS: readonly RandomEdit[] = [
  (_flow, dice) => [{ type: 'CHANGE_NAME', request: { displayName: `Name ${dice(1_000)}` } }],
  ({ trigger }, dice) => [{ type: 'UPDATE_TRIGGER', request: { ...bare(trigger), displayName: `Trigger ${dice(9)}` } }],
  (flow, dice) => {
    const step = one(actions(flow), dice);
    return step ? [{ type: 'UPDATE_ACTION', request: { ...bare(step), displayName: `Step ${dice(99)}` } }] : [];
  },
  (flow, dice) => {
    const place = one(places(flow), dice);
    const make = one(newSteps, dice);
    return place && make ? [{ type: 'ADD_ACTION', request: { ...place, action: make(freeName(flow)) } }] : [];
  },
  pasted,
  (flow, dice) => {
    const names = actions(flow).filter(() => dice(25) === 0);
    return names.length > 0
      ? [{ type: 'DELETE_ACTION', request: { names: names.map(({ name }) => name).reverse() } }]
      : [];
  },
  moved,
  (flow, dice) => {
    const step = one(actions(flow), dice);
    return step ? [{ type: 'DUPLICATE_ACTION', request: { stepName: step.name } }] : [];
  },
  (flow, dice) => {
    const names = actions(flow).filter(() => dice(20) === 0);
    const request = { names: names.map(({ name }) => name), skip: dice(2) === 0 };
    return names.length > 0 ? [{ type: 'SET_SKIP_ACTION', request }] : [];
  },
  branchEdit,
  noteEdit,
];

function pasted(flow: Definition, dice: Dice): Operation[] {
  const [first, place] = [one(actions(flow), dice), one(places(flow), dice)];
  if (!first || !place) return [];
  const copied = dice(3) === 0 ? first : alone(first);
  if (namesOf(copied).size > 20) return [];
  return [{ type: 'ADD_ACTION', request: { ...place, action: copySteps(copied, namesOf(flow.trigger)) } }];
}

function moved(flow: Definition, dice: Dice): Operation[] {
  const [step, place] = [one(actions(flow), dice), one(places(flow), dice)];
  if (!step || !place || namesOf(alone(step)).has(place.parentStep)) return [];
  const { parentStep: newParentStep, stepLocationRelativeToParent: stepLocationRelativeToNewParent, ...rest } = place;
  return [
    { type: 'MOVE_ACTION', request: { name: step.name, newParentStep, stepLocationRelativeToNewParent, ...rest } },
  ];
}

function branchEdit(flow: Definition, dice: Dice): Operation[] {
  const router = one(routers(flow), dice);
  if (!router) return [];
  const stepName = router.name;
  const conditions = branchesOf(router).length - 1;
  const branchIndex = dice(conditions + 1);
  const added: Operation = {
    type: 'ADD_BRANCH',
    request: { stepName, branchIndex, branchName: `B${dice(9)}`, conditions: [] },
  };
  if (conditions === 0 || dice(2) === 0) return [added];
  if (dice(2) === 0) return [{ type: 'DELETE_BRANCH', request: { stepName, branchIndex: dice(conditions) } }];
  const request = { stepName, sourceBranchIndex: dice(conditions), targetBranchIndex: dice(conditions) };
  return [{ type: 'MOVE_BRANCH', request }];
}

function noteEdit({ notes }: Definition, dice: Dice): Operation[] {
  const note = one(notes, dice);
  const position = { x: dice(500), y: dice(500) };
  const request = { id: `note ${notes.length} ${dice(1_000_000)}`, content: `Remark ${dice(99)}` };
  if (!note || dice(3) === 0) return [{ type: 'ADD_NOTE', request: { ...request, position, color: 'yellow' } }];
  if (dice(3) === 0) return [{ type: 'DELETE_NOTE', request: { id: note.id } }];
  const changes = [{ content: `Remark ${dice(99)}` }, { position }, { size: { width: 100, height: dice(99) } }];
  return [{ type: 'UPDATE_NOTE', request: { id: note.id, ...one(changes, dice) } }];
}
