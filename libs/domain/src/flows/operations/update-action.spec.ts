import { branch, codeStep, fallback, loop, pieceStep, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, manySteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import type { FlowAction } from '../flow-version';
import { findStep } from '../step-tree';
import { parseFlowOperation } from './flow-operation';

const sampleData = { inputSavedAt: '2026-01-01T00:00:00.000Z' };
const sampled = <T extends FlowAction>(step: T): T => ({ ...step, settings: { ...step.settings, sampleData } });
const flow = aFlowWithSteps([
  sampled(codeStep('first', { a: 1 }, undefined, { skip: true })),
  sampled(loop('each', '{{ [1] }}', [codeStep('inner')])),
  sampled(router('choice', [branch('Yes', [[]], [codeStep('left')]), fallback()])),
  loop('hollow', '{{ [1] }}'),
  router('idle', [fallback()]),
]);
const outline = 'trigger first each[inner] choice{left|} hollow[] idle{}';

describe('UPDATE_ACTION', () => {
  it('replaces what the step is called and does, and whether it is skipped', async () => {
    const request = codeStep('first', { b: 2 }, 'export const code = () => 2;', { displayName: 'Changed' });
    const change = await applyOperation(flow, 'UPDATE_ACTION', request);
    const step = findStep(change.version.trigger, 'first');
    expect(step).toMatchObject({ displayName: 'Changed', settings: { ...request.settings, sampleData } });
    expect(step).not.toHaveProperty('skip');
    expect(change.sampleData).toBeUndefined();
    expect(outlineOf(change.version.trigger)).toBe(outline);
  });

  it.each<[string, object]>([
    ['a step', { ...codeStep('inner'), nextAction: codeStep('other') }],
    ['a loop', { ...loop('each', '{{ [2] }}', [codeStep('other')]), nextAction: codeStep('another') }],
    ['an emptied loop', loop('each', '{{ [2] }}')],
    ['a router', router('choice', [branch('No', [], [codeStep('other')]), fallback([codeStep('another')])])],
    ['a router without bodies', { ...router('choice', [branch('No', []), fallback()]), children: undefined }],
    ['a step with links that are none', { ...codeStep('inner'), nextAction: 7, children: 'x', firstLoopAction: [] }],
  ])('takes no link from %s in the request', async (_what, request) => {
    const { version } = await applyOperation(flow, 'UPDATE_ACTION', request);
    expect(outlineOf(version.trigger)).toBe(outline);
  });

  it.each<[FlowAction, object]>([
    [loop('each', '{{ [1, 2] }}'), { settings: { items: '{{ [1, 2] }}', sampleData } }],
    [
      router('choice', [branch('No', []), fallback()]),
      { settings: { branches: [{ branchName: 'No' }, { branchName: 'Otherwise' }], sampleData } },
    ],
  ])('changes the settings of %j', async (request, changed) => {
    const { version } = await applyOperation(flow, 'UPDATE_ACTION', request);
    expect(findStep(version.trigger, request.name)).toMatchObject(changed);
  });

  it.each<[string, FlowAction, string]>([
    ['code a piece', pieceStep('first'), outline],
    ['code a loop', loop('first', '{{ [1] }}', [codeStep('x')]), outline.replace('first', 'first[]')],
    ['a loop without a body code', codeStep('hollow'), outline.replace('[]', '')],
    ['a router without bodies another router in all but name', pieceStep('idle'), outline.replace(/\{\}$/, '')],
    ['code a router', router('inner', [branch('Yes', []), fallback()]), outline.replace('inner', 'inner{|}')],
  ])('makes %s, and forgets its sample data', async (_what, request, expected) => {
    const change = await applyOperation(flow, 'UPDATE_ACTION', request);
    expect(outlineOf(change.version.trigger)).toBe(expected);
    expect(findStep(change.version.trigger, request.name)?.settings).not.toHaveProperty('sampleData');
    expect(change.sampleData).toEqual({ kind: 'forget', stepNames: [request.name] });
  });

  it.each<[string, FlowAction, RegExp]>([
    ['an unknown step', codeStep('nope'), /"nope"/],
    ['the trigger', codeStep('trigger'), /trigger.*UPDATE_TRIGGER/],
    ['a router to fewer branches', router('choice', [fallback()]), /choice has 2.*DELETE_BRANCH/],
    ['a router to more branches', router('idle', [branch('Yes', []), fallback()]), /idle has 1.*ADD_BRANCH/],
    ['a loop with a body to code', codeStep('each'), /each has steps inside/],
    ['a router with a body to a loop', loop('choice', '{{ [1] }}'), /choice has steps inside/],
  ])('refuses to change %s', async (_what, request, message) => {
    expect(await misfitOf(flow, 'UPDATE_ACTION', request)).toMatch(message);
  });

  it('changes the last step of the longest flow', async () => {
    const long = aFlowWithSteps(manySteps(999));
    const { version } = await applyOperation(long, 'UPDATE_ACTION', codeStep('step_999', { z: 1 }));
    expect(findStep(version.trigger, 'step_999')).toMatchObject({ settings: { input: { z: 1 } } });
    expect(outlineOf(version.trigger)).toBe(outlineOf(long.version.trigger));
  });

  it('brings the step alone', () => {
    const request = { ...codeStep('first'), nextAction: codeStep('other') };
    expect(outlineOf(parseFlowOperation({ type: 'UPDATE_ACTION', request }).brings)).toBe('first');
  });

  it.each<[object, string]>([
    [{}, '/request/type'],
    [{ ...codeStep('first'), name: undefined }, '/request/name'],
    [{ ...codeStep('first'), name: 'not a name' }, '/request/name'],
    [{ ...codeStep('first'), skip: 'yes' }, '/request/skip'],
    [{ ...codeStep('first'), now: true }, '/request/now'],
    [{ ...codeStep('first'), settings: { sourceCode: { code: 1 } } }, '/request/settings/sourceCode/code'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('UPDATE_ACTION', request)).toContain(path);
  });

  it('forgets the sample data of a piece that is another one now', async () => {
    const withPiece = aFlowWithSteps([sampled(pieceStep('p'))]);
    const other = { ...pieceStep('p'), settings: { ...pieceStep('p').settings, actionName: 'other' } };

    const same = await applyOperation(withPiece, 'UPDATE_ACTION', pieceStep('p', { url: 'x' }));
    const changed = await applyOperation(withPiece, 'UPDATE_ACTION', other);

    expect(same.sampleData).toBeUndefined();
    expect(findStep(same.version.trigger, 'p')?.settings).toHaveProperty('sampleData');
    expect(changed.sampleData).toEqual({ kind: 'forget', stepNames: ['p'] });
    expect(findStep(changed.version.trigger, 'p')?.settings).not.toHaveProperty('sampleData');
  });
});
