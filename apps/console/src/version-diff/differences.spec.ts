import type { Step } from '../flow-picture/step';
import { aStep } from '../flow-picture/testing/a-step';
import { branchIn, formerStep, isSame, nameIn, partsOf, stepsByName, valueAt, type VersionDiff } from './differences';

const size: Step = {
  ...aStep('size', { type: 'ROUTER' }),
  displayName: 'Size',
  settings: { branches: [{ branchName: 'Large' }] },
  children: [null],
};
const steps = stepsByName({ ...aStep('trigger'), nextAction: size });
const nothing: VersionDiff = {
  steps: { added: [], removed: [], moved: [], changed: [] },
  notes: { added: [], removed: [], changed: [] },
};

describe('what is shown of a difference', () => {
  it('is named as people named it, and by its own name where the version has it no more', () => {
    expect(nameIn(steps, 'size')).toBe('Size');
    expect(nameIn(steps, 'gone')).toBe('gone');
  });

  it('has the name of a branch, or its number', () => {
    expect(branchIn(steps, { parentStep: 'size', position: 'INSIDE_BRANCH', branchIndex: 0 })).toBe('Large');
    expect(branchIn(steps, { parentStep: 'size', position: 'INSIDE_BRANCH', branchIndex: 1 })).toBe('2');
    expect(branchIn(steps, { parentStep: 'size', position: 'AFTER' })).toBeUndefined();
  });

  it('is of a step by its name, and of the trigger also when it had another one', () => {
    const renamed = stepsByName({ ...aStep('start'), nextAction: size });

    expect(formerStep(steps, renamed, 'start')?.name).toBe('trigger');
    expect(formerStep(steps, renamed, 'size')?.name).toBe('size');
    expect(formerStep(steps, renamed, 'new')).toBeUndefined();
  });

  it('reads keys with a slash and a tilde', () =>
    expect(partsOf('/settings/a~1b/~01')).toEqual(['settings', 'a/b', '~1']));

  it('finds the value at a path, and nothing that a step only inherits', () => {
    expect(valueAt(size, '/settings/branches/0/branchName')).toBe('Large');
    expect(valueAt(size, '/settings/constructor')).toBeUndefined();
    expect(valueAt(undefined, '/settings')).toBeUndefined();
  });

  it('is nothing when nothing differs', () => {
    expect(isSame(nothing)).toBe(true);
    expect(isSame({ ...nothing, displayName: { from: 'a', to: 'b' } })).toBe(false);
    expect(isSame({ ...nothing, notes: { ...nothing.notes, added: ['n'] } })).toBe(false);
  });
});
