import { branch, codeStep, fallback, loop, pieceStep, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, manySteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import type { FlowAction, FlowStep, FlowVersion } from '../flow-version';
import { findStep } from '../step-tree';

const sampleData = { inputSavedAt: '2026-01-01T00:00:00.000Z' };
const sampled = <T extends FlowAction>(step: T): T => ({ ...step, settings: { ...step.settings, sampleData } });

async function duplicate(steps: FlowAction[], stepName: string): Promise<FlowVersion> {
  return (await applyOperation(aFlowWithSteps(steps), 'DUPLICATE_ACTION', { stepName })).version;
}

async function copyOf(step: FlowAction): Promise<FlowStep | null> {
  const { trigger } = await duplicate([step], step.name);
  return findStep(trigger, `${step.name}_copy`);
}

describe('DUPLICATE_ACTION', () => {
  it.each<[string, FlowAction[], string, string]>([
    ['a step', [codeStep('a'), codeStep('b')], 'a', 'trigger a a_copy b'],
    ['a step in a body', [loop('each', '', [codeStep('a'), codeStep('b')])], 'a', 'trigger each[a a_copy b]'],
    [
      'a loop with its body',
      [loop('each', '', [codeStep('a'), codeStep('step_1')]), codeStep('step_4')],
      'each',
      'trigger each[a step_1] each_copy[a_copy step_5] step_4',
    ],
    [
      'a router with its bodies',
      [router('choice', [branch('Yes', [], [codeStep('a')]), branch('No', []), fallback([codeStep('b')])])],
      'choice',
      'trigger choice{a||b} choice_copy{a_copy||b_copy}',
    ],
    ['a numbered step', [codeStep('step_1'), codeStep('step_7')], 'step_1', 'trigger step_1 step_8 step_7'],
    [
      'a step whose number is the highest of all',
      [codeStep('step_999999999')],
      'step_999999999',
      'trigger step_999999999 step_1000000000',
    ],
    [
      'a step whose number is too long to count',
      [codeStep('step_12345678901')],
      'step_12345678901',
      'trigger step_12345678901 step_12345678901_copy',
    ],
    [
      'a step that has copies',
      [codeStep('a'), codeStep('a_copy'), codeStep('a_copy_2')],
      'a',
      'trigger a a_copy_3 a_copy a_copy_2',
    ],
    ['a copy', [codeStep('a_copy')], 'a_copy', 'trigger a_copy a_copy_copy'],
  ])('puts a copy of %s directly after it', async (_what, steps, stepName, outline) => {
    const { trigger } = await duplicate(steps, stepName);
    expect(outlineOf(trigger)).toBe(outline);
  });

  it('keeps names within 100 characters, and apart', async () => {
    const longest = 'x'.repeat(100);
    const { trigger } = await duplicate([codeStep(longest), codeStep(`${'x'.repeat(95)}_copy`)], longest);
    expect(outlineOf(trigger)).toBe(`trigger ${longest} ${'x'.repeat(93)}_copy_2 ${'x'.repeat(95)}_copy`);
  });

  it.each([
    ['A step', 'A step Copy'],
    ['x'.repeat(1_000), `${'x'.repeat(995)} Copy`],
    [`${'x'.repeat(994)}😀`, `${'x'.repeat(994)} Copy`],
  ])('gives the copy of %j a title of its own', async (displayName, title) => {
    expect(await copyOf(codeStep('a', {}, undefined, { displayName }))).toMatchObject({ displayName: title });
  });

  it('copies what the step does, and leaves its sample data and the titles in its body', async () => {
    const inner = sampled(pieceStep('inner', { url: 'x' }, { displayName: 'Inner', skip: true }));
    const { trigger } = await duplicate([sampled(loop('each', '{{ [1] }}', [inner]))], 'each');
    expect(findStep(trigger, 'each_copy')?.settings).toEqual({ items: '{{ [1] }}' });
    const { sampleData: _sampleData, ...settings } = inner.settings;
    expect(findStep(trigger, 'inner_copy')).toMatchObject({ displayName: 'Inner', skip: true });
    expect(findStep(trigger, 'inner_copy')?.settings).toEqual(settings);
    expect(findStep(trigger, 'inner')?.settings).toEqual(inner.settings);
  });

  it('lets expressions of the copy mean the copied steps, and leaves all others alone', async () => {
    const says = { both: '{{ a.x + before.y }}', deep: [{ loop: '{{each.item}}' }] };
    const conditions = [[{ firstValue: '{{ a.ok }}', operator: 'EXISTS' as const }]];
    const code = 'export const code = (inputs) => `{{ a.x }}`;';
    const steps = [
      codeStep('before'),
      loop('each', '{{ before.list }}', [
        codeStep('a'),
        codeStep('b', says, code),
        loop('c', '{{ a.list }}'),
        router('d', [branch('{{ a.x }}', conditions)]),
      ]),
      codeStep('last', { x: '{{ a.x }}' }),
    ];

    const { trigger } = await duplicate(steps, 'each');

    expect(findStep(trigger, 'each_copy')?.settings).toEqual({ items: '{{ before.list }}' });
    expect(findStep(trigger, 'b_copy')?.settings).toMatchObject({
      input: { both: '{{ a_copy.x + before.y }}', deep: [{ loop: '{{each_copy.item}}' }] },
      sourceCode: { code },
    });
    expect(findStep(trigger, 'c_copy')?.settings).toEqual({ items: '{{ a_copy.list }}' });
    expect(findStep(trigger, 'd_copy')?.settings).toMatchObject({
      branches: [{ branchName: '{{ a.x }}', conditions: [[{ firstValue: '{{ a_copy.ok }}' }]] }],
    });
    expect(findStep(trigger, 'b')?.settings).toMatchObject({ input: says });
    expect(findStep(trigger, 'last')?.settings).toMatchObject({ input: { x: '{{ a.x }}' } });
  });

  it('copies a body of hundreds of steps', async () => {
    const { trigger } = await duplicate([loop('each', '', manySteps(498))], 'each');
    expect(outlineOf(findStep(trigger, 'each_copy') as FlowAction)).toMatch(/^each_copy\[step_499 .* step_996\]$/);
  });

  it.each<[string, string, string]>([
    ['the trigger', 'trigger', 'trigger'],
    ['an unknown step', 'nope', '"nope"'],
    ['a body that makes the flow too long', 'each', 'at most 1000 steps'],
  ])('refuses to duplicate %s', async (_what, stepName, part) => {
    const flow = aFlowWithSteps([loop('each', '', manySteps(499))]);
    expect(await misfitOf(flow, 'DUPLICATE_ACTION', { stepName })).toContain(part);
  });

  it.each<[object, string]>([
    [{}, '/request/stepName'],
    [{ stepName: null }, '/request/stepName'],
    [{ stepName: 'first', times: 2 }, '/request/times'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('DUPLICATE_ACTION', request)).toEqual([path]);
  });

  it('makes no definition that is larger than one that may be imported', async () => {
    const large = aFlowWithSteps([codeStep('large', { text: 'x'.repeat(14_000_000) })]);
    await expect(applyOperation(large, 'DUPLICATE_ACTION', { stepName: 'large' })).rejects.toThrow(
      'The steps of a flow have at most 26214400 characters of JSON.',
    );
  });
});
