import { branch, codeStep, fallback, loop, router } from '../../testing/a-flow-version';
import { aFlowWithSteps, manySteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';

const flow = aFlowWithSteps([
  codeStep('first'),
  loop('each', '{{ [1] }}', [codeStep('inner'), codeStep('after')]),
  router('choice', [branch('Yes', [[]], [codeStep('left'), codeStep('then')]), fallback([codeStep('right')])]),
  codeStep('last'),
]);

describe('DELETE_ACTION', () => {
  it.each<[string, string[], string, string[]]>([
    ['the first step', ['first'], 'trigger each[inner after] choice{left then|right} last', ['first']],
    ['the last step', ['last'], 'trigger first each[inner after] choice{left then|right}', ['last']],
    ['a loop with its body', ['each'], 'trigger first choice{left then|right} last', ['each', 'inner', 'after']],
    [
      'a router with its bodies',
      ['choice'],
      'trigger first each[inner after] last',
      ['choice', 'left', 'then', 'right'],
    ],
    ['the head of a body', ['inner'], 'trigger first each[after] choice{left then|right} last', ['inner']],
    ['all of a body', ['inner', 'after'], 'trigger first each[] choice{left then|right} last', ['inner', 'after']],
    ['the head of a branch', ['left'], 'trigger first each[inner after] choice{then|right} last', ['left']],
    ['all of a branch', ['right'], 'trigger first each[inner after] choice{left then|} last', ['right']],
    [
      'neighbours',
      ['each', 'first', 'choice'],
      'trigger last',
      ['first', 'each', 'inner', 'after', 'choice', 'left', 'then', 'right'],
    ],
    [
      'a step and what stands in its body',
      ['inner', 'each'],
      'trigger first choice{left then|right} last',
      ['each', 'inner', 'after'],
    ],
    ['a step named twice, once', ['last', 'last'], 'trigger first each[inner after] choice{left then|right}', ['last']],
  ])('deletes %s, and forgets the sample data of all that went', async (_what, names, outline, stepNames) => {
    const { version, sampleData } = await applyOperation(flow, 'DELETE_ACTION', { names });
    expect(outlineOf(version.trigger)).toBe(outline);
    expect(sampleData).toEqual({ kind: 'forget', stepNames });
  });

  it('deletes every other step, and all steps, of the longest flow', async () => {
    const steps = manySteps(999);
    const long = aFlowWithSteps(steps);
    const names = steps.map(({ name }) => name);
    const even = names.filter((_name, index) => index % 2 === 1);
    const { version: odd } = await applyOperation(long, 'DELETE_ACTION', { names: even });
    expect(outlineOf(odd.trigger)).toBe(`trigger ${names.filter((_name, index) => index % 2 === 0).join(' ')}`);
    const { version: bare } = await applyOperation(long, 'DELETE_ACTION', { names });
    expect(outlineOf(bare.trigger)).toBe('trigger');
  });

  it.each<[string, string[], string]>([
    ['the trigger', ['first', 'trigger'], 'trigger'],
    ['an unknown step', ['first', 'nope'], '"nope"'],
  ])('refuses to delete %s, and deletes nothing', async (_what, names, part) => {
    expect(await misfitOf(flow, 'DELETE_ACTION', { names })).toContain(part);
  });

  it.each<[object, string]>([
    [{}, '/request/names'],
    [{ names: [] }, '/request/names'],
    [{ names: 'first' }, '/request/names'],
    [{ names: ['first', 7] }, '/request/names/1'],
    [{ names: ['x'.repeat(101)] }, '/request/names'],
    [{ names: ['first'], force: true }, '/request/force'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('DELETE_ACTION', request)).toEqual([path]);
  });

  it('refuses more names than a flow may have steps', () => {
    const names = Array.from({ length: 1_001 }, () => 'first');
    expect(malformedPathsOf('DELETE_ACTION', { names })).toEqual(['/request/names']);
  });
});
