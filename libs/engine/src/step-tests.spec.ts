import type { FlowAction } from '@millrace/domain';
import { branch, codeStep, fallback, loop, pieceStep, router } from '@millrace/domain/testing';
import { asRecorded, walk } from './testing/a-walk';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

const always = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: '{{ before.yes }}' } as const]];

const FLOW: FlowAction[] = [
  codeStep('before', {}, '() => { throw new Error("not asked for"); }'),
  loop('each', '{{ before.list }}', [
    codeStep('inner', { item: '{{ each.item }}', list: '{{ before.list }}' }),
    router('choice', [
      branch('yes', always, [pieceStep('send', { to: '{{ inner.item }}' })]),
      fallback([codeStep('no')]),
    ]),
  ]),
  loop('skipped', '{{ each.iterations }}', [codeStep('inSkipped', { x: '{{ trigger.x }}' })], { skip: true }),
  loop('empty', ['a', 'b']),
];

const SAMPLES = new Map([
  ['before', '{"list":["a","b"],"yes":true}'],
  ['each', '{"item":"a","index":1}'],
  ['inner', '{"item":"from the sample"}'],
]);

const test = (stepName: string) =>
  walk(FLOW, { trigger: { x: 1 }, only: { stepName, samples: SAMPLES }, pieceRunner: new ScriptedPieceRunner() });

describe('a step test', () => {
  it('tells the piece that it is one', async () => {
    const pieceRunner = new ScriptedPieceRunner();
    await walk(FLOW, { trigger: { x: 1 }, only: { stepName: 'send', samples: SAMPLES }, pieceRunner });

    expect(pieceRunner.calls).toMatchObject([{ isTest: true }]);
  });

  it.each([
    ['a step of a loop', 'inner', { input: { item: 'a', list: ['a', 'b'] }, output: { item: 'a', list: ['a', 'b'] } }],
    ['a piece step in a branch in a loop', 'send', { type: 'ACTION', input: { to: 'from the sample' } }],
    ['a loop, up to its first item', 'each', { output: { item: 'a', index: 1 } }],
    ['a loop without a body', 'empty', { output: { item: 'a', index: 1 } }],
    [
      'a router, without its branches',
      'choice',
      { output: { branches: [{ evaluation: true }, { evaluation: false }] } },
    ],
    ['a step of what is skipped', 'inSkipped', { output: { x: 1 } }],
  ])('executes %s, and nothing else', async (_, stepName, result) => {
    const { outcome, records } = await test(stepName);

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 });
    expect(asRecorded(records)).toMatchObject([{ path: stepName, status: 'SUCCEEDED', ...result }]);
  });

  it.each([
    ['a step that fails', 'before', 'not asked for'],
    ['a loop whose sample is missing', 'skipped', 'The items are not a list but empty.'],
    ['a step that is not there', 'nobody', 'There is no action called "nobody" in this version of the flow.'],
    ['the trigger', 'trigger', 'There is no action called "trigger" in this version of the flow.'],
  ])('of %s is FAILED', async (_, stepName, message) => {
    expect((await test(stepName)).outcome).toMatchObject({ kind: 'failed', step: { name: stepName, message } });
  });
});
