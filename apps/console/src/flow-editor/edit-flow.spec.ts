import type { Step } from '../flow-picture/step';
import { copyMade, edited, inverseOf } from './edit-flow';
import type { Operation } from './operation';
import { bare, findStep, namesOf } from './step-tree';
import { aStep } from '../flow-picture/testing/a-step';
import { aTrigger } from './testing/a-flow';

const flow = { displayName: 'Orders', trigger: aTrigger() };
const namesAfter = (operation: Operation) => [...namesOf(edited(flow, operation).trigger)].join(' ');

/** The JSON that the service would get; it makes no difference between a link that is missing and one that is null. */
const withoutEmptyLinks = (step: Step): unknown =>
  JSON.parse(JSON.stringify(step, (_key, value: unknown) => value ?? undefined));

const OPERATIONS: [string, Operation][] = [
  ['a new name of the flow', { type: 'CHANGE_NAME', request: { displayName: 'Refunds' } }],
  ['a changed trigger', { type: 'UPDATE_TRIGGER', request: aStep('trigger', { type: 'EMPTY' }) }],
  ['a changed step', { type: 'UPDATE_ACTION', request: aStep('ask', { displayName: 'Ask Ada' }) }],
  [
    'a changed loop',
    { type: 'UPDATE_ACTION', request: aStep('each', { type: 'LOOP_ON_ITEMS', settings: { items: [1] } }) },
  ],
  [
    'a step added after another',
    { type: 'ADD_ACTION', request: { parentStep: 'ask', stepLocationRelativeToParent: 'AFTER', action: aStep('new') } },
  ],
  [
    'a step added in a loop',
    {
      type: 'ADD_ACTION',
      request: { parentStep: 'each', stepLocationRelativeToParent: 'INSIDE_LOOP', action: aStep('new') },
    },
  ],
  ['a deleted step', { type: 'DELETE_ACTION', request: { names: ['note'] } }],
  ['a deleted router with what is inside', { type: 'DELETE_ACTION', request: { names: ['size'] } }],
  [
    'a moved step',
    {
      type: 'MOVE_ACTION',
      request: {
        name: 'each',
        newParentStep: 'size',
        stepLocationRelativeToNewParent: 'INSIDE_BRANCH',
        branchIndex: 1,
      },
    },
  ],
  ['a skipped step', { type: 'SET_SKIP_ACTION', request: { names: ['ask'], skip: true } }],
  [
    'a new branch',
    { type: 'ADD_BRANCH', request: { stepName: 'size', branchIndex: 1, branchName: 'Small', conditions: [] } },
  ],
  ['a deleted branch with its steps', { type: 'DELETE_BRANCH', request: { stepName: 'size', branchIndex: 0 } }],
];

describe('an edit of a flow', () => {
  it.each(OPERATIONS)('%s changes it, and the inverse makes it what it was', (_what, operation) => {
    const after = edited(flow, operation);

    const back = inverseOf(flow, operation).reduce(edited, after);

    expect(after).not.toBe(flow);
    expect(back.displayName).toBe(flow.displayName);
    expect({ ...(withoutEmptyLinks(unskipped(back.trigger)) as object) }).toEqual(withoutEmptyLinks(flow.trigger));
  });

  it('leaves the steps around a changed step in place', () => {
    const { trigger } = edited(flow, { type: 'UPDATE_ACTION', request: bare(aStep('size', { type: 'ROUTER' })) });

    expect([...namesOf(trigger)]).toEqual([...namesOf(flow.trigger)]);
  });

  it('puts an added step before what stood there', () => {
    const place = { parentStep: 'size', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 0 } as const;

    expect(namesAfter({ type: 'ADD_ACTION', request: { ...place, action: aStep('new') } })).toBe(
      'trigger size new ask note each tell done',
    );
  });

  it('changes nothing when it does not fit', () => {
    const place = { parentStep: 'nowhere', stepLocationRelativeToParent: 'AFTER' } as const;

    expect(edited(flow, { type: 'ADD_ACTION', request: { ...place, action: aStep('new') } })).toBe(flow);
    expect(edited(flow, { type: 'ADD_ACTION', request: { ...place, parentStep: 'ask', action: aStep('note') } })).toBe(
      flow,
    );
    expect(edited(flow, { type: 'DELETE_ACTION', request: { names: ['nothing'] } })).toBe(flow);
  });

  it('does not move a step into itself', () => {
    const request = { name: 'each', newParentStep: 'tell', stepLocationRelativeToNewParent: 'AFTER' } as const;

    expect(edited(flow, { type: 'MOVE_ACTION', request })).toBe(flow);
  });

  it('knows a copy when the service has made it', () => {
    const place = { parentStep: 'ask', stepLocationRelativeToParent: 'AFTER' } as const;
    const after = edited(flow, { type: 'ADD_ACTION', request: { ...place, action: aStep('ask_copy') } });

    const made = copyMade(flow.trigger, after.trigger, 'ask');

    expect(made?.backward).toEqual([{ type: 'DELETE_ACTION', request: { names: ['ask_copy'] } }]);
    expect(findStep(after.trigger, 'ask')?.nextAction?.name).toBe('ask_copy');
  });
});

/** A step that is no longer skipped says so; one that never was says nothing. */
const unskipped = (trigger: Step): Step =>
  JSON.parse(
    JSON.stringify(trigger, (key, value: unknown) => (key === 'skip' && value === false ? undefined : value)),
  ) as Step;
