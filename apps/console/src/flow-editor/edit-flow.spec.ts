import type { Step } from '../flow-picture/step';
import { edited } from './edit-flow';
import { inverseOf } from './inverse';
import type { Operation } from './operation';
import { bare, namesOf } from './step-tree';
import { aChain, aStep } from '../flow-picture/testing/a-step';
import { aTrigger } from './testing/a-flow';

const note = { id: 'note', content: 'Ask Ada', color: 'yellow', position: { x: 1, y: 2 } };
const flow = { displayName: 'Orders', trigger: aTrigger(), notes: [note, { ...note, id: 'other' }] };
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
  ['steps that are deleted in another order', { type: 'DELETE_ACTION', request: { names: ['done', 'tell', 'each'] } }],
  [
    'several steps added in a branch',
    {
      type: 'ADD_ACTION',
      request: {
        parentStep: 'size',
        stepLocationRelativeToParent: 'INSIDE_BRANCH',
        branchIndex: 0,
        action: aChain(aStep('new'), aStep('newer')),
      },
    },
  ],
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
  ['a step that says it is not skipped', { type: 'SET_SKIP_ACTION', request: { names: ['ask'], skip: false } }],
  [
    'a new branch',
    { type: 'ADD_BRANCH', request: { stepName: 'size', branchIndex: 1, branchName: 'Small', conditions: [] } },
  ],
  ['a deleted branch with its steps', { type: 'DELETE_BRANCH', request: { stepName: 'size', branchIndex: 0 } }],
  [
    'a moved branch',
    { type: 'MOVE_BRANCH', request: { stepName: 'size', sourceBranchIndex: 0, targetBranchIndex: 1 } },
  ],
  ['a new note', { type: 'ADD_NOTE', request: { id: 'new', content: 'Ask Bob' } }],
  ['other words of a note', { type: 'UPDATE_NOTE', request: { id: 'note', content: 'Ask Bob' } }],
  ['a size for a note that had none', { type: 'UPDATE_NOTE', request: { id: 'note', size: { width: 1, height: 1 } } }],
  ['a deleted note', { type: 'DELETE_NOTE', request: { id: 'note' } }],
];

describe('an edit of a flow', () => {
  it.each(OPERATIONS)('%s changes it, and the inverse makes it what it was', (_what, operation) => {
    const after = edited(flow, operation);

    const back = inverseOf(flow, [operation]).reduce(edited, after);

    expect(after).not.toBe(flow);
    expect({ ...back, trigger: withoutEmptyLinks(back.trigger) }).toEqual({
      ...flow,
      trigger: withoutEmptyLinks(flow.trigger),
    });
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

  it('is taken back as one, when it is of several operations', () => {
    const operations: Operation[] = [
      { type: 'DELETE_ACTION', request: { names: ['each'] } },
      { type: 'UPDATE_ACTION', request: aStep('done', { displayName: 'The end' }) },
      { type: 'DELETE_ACTION', request: { names: ['size'] } },
    ];

    const back = inverseOf(flow, operations).reduce(edited, operations.reduce(edited, flow));

    expect(withoutEmptyLinks(back.trigger)).toEqual(withoutEmptyLinks(flow.trigger));
  });
});
