import type { FlowAction, RunEffects } from '@millrace/domain';
import { branch, codeStep, loop, pieceStep, router } from '@millrace/domain/testing';
import { asRecorded, walk } from './testing/a-walk';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

const having = (effects: Record<string, RunEffects>): ScriptedPieceRunner =>
  new ScriptedPieceRunner(
    Object.fromEntries(Object.entries(effects).map(([name, each]) => [name, [{ effects: each }]])),
  );

const SUCCEED: RunEffects = { stop: { status: 'SUCCEEDED' } };
const FAIL: RunEffects = { stop: { status: 'FAILED', message: 'Not today.' } };
const always = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: true } as const]];

describe('tags', () => {
  it.each<[string, string[][], string[]]>([
    [
      'are gathered in their order, each once',
      [
        ['b', 'a'],
        ['a', 'c'],
      ],
      ['b', 'a', 'c'],
    ],
    [
      'are at most 100',
      [Array.from({ length: 120 }, (_, n) => `t${n}`)],
      Array.from({ length: 100 }, (_, n) => `t${n}`),
    ],
    ['have at most 100 characters', [['😀'.repeat(101)]], ['😀'.repeat(100)]],
    ['need not be', [[]], []],
  ])('%s', async (_, tagsOfSteps, expected) => {
    const names = tagsOfSteps.map((_tags, index) => `s${index}`);
    const pieceRunner = having(Object.fromEntries(names.map((name, index) => [name, { tags: tagsOfSteps[index] }])));
    const { outcome } = await walk(
      names.map((name) => pieceStep(name)),
      { pieceRunner },
    );

    expect(outcome).toEqual({ kind: 'succeeded', stepsCount: names.length, tags: expected });
  });

  it('of a step that failed count too', async () => {
    const pieceRunner = new ScriptedPieceRunner({
      a: [{ kind: 'failed', message: 'no', logs: [], effects: { tags: ['tried'] } }],
    });

    expect((await walk([pieceStep('a')], { pieceRunner })).outcome).toMatchObject({ kind: 'failed', tags: ['tried'] });
  });
});

describe('a response', () => {
  it('is the first one that was given', async () => {
    const responses = [200, 404].map((status) => ({ response: { status, headers: {}, body: null } }));
    const { outcome } = await walk([pieceStep('a'), pieceStep('b')], {
      pieceRunner: having({ a: responses[0]!, b: responses[1]! }),
    });

    expect(outcome).toMatchObject({ response: { status: 200 } });
  });
});

describe('a step that ends the run', () => {
  const stop = pieceStep('stop', {}, { displayName: 'Stop it' });
  const failedStep = { name: 'stop', displayName: 'Stop it', message: 'Not today.' };

  const FLOWS: [string, FlowAction[], executed: string[]][] = [
    ['in a chain', [codeStep('a'), stop, codeStep('z')], ['a', 'stop']],
    ['in a branch', [router('r', [branch('b', always, [stop, codeStep('y')])]), codeStep('z')], ['r', 'stop']],
    [
      'in loops',
      [loop('o', [1, 2], [loop('l', [1, 2], [stop, codeStep('y')])]), codeStep('z')],
      ['o[0].l[0].stop', 'o[0].l', 'o'],
    ],
  ];

  it.each(FLOWS)('%s well: nothing after it runs, and all is SUCCEEDED', async (_, flow, executed) => {
    const { outcome, records } = await walk(flow, { pieceRunner: having({ stop: SUCCEED }) });

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: executed.length });
    expect(records.map(({ path, status }) => [path, status])).toEqual(executed.map((path) => [path, 'SUCCEEDED']));
  });

  it.each(FLOWS)('%s as failed: it is the failed step, and SUCCEEDED itself', async (_, flow, executed) => {
    const { outcome, records } = await walk(flow, { pieceRunner: having({ stop: FAIL }) });

    expect(outcome).toMatchObject({ kind: 'failed', step: failedStep, stepsCount: executed.length });
    expect(records.map(({ path }) => path)).toEqual(executed);
    expect(records.find(({ path }) => path.endsWith('stop'))).toMatchObject({ status: 'SUCCEEDED', effects: FAIL });
  });

  it.each(['SUCCEEDED', 'FAILED'] as const)('as %s gives the run its message as the reason', async (status) => {
    const effects: RunEffects = { stop: { status, message: 'Not today.' } };
    const { outcome } = await walk([stop], { pieceRunner: having({ stop: effects }) });
    expect(outcome).toMatchObject({ reason: 'Not today.' });
  });

  it('as failed without a message gets a sentence', async () => {
    const { outcome } = await walk([stop], { pieceRunner: having({ stop: { stop: { status: 'FAILED' } } }) });

    expect(outcome).toMatchObject({ step: { message: 'The step "Stop it" ended the run as failed.' } });
  });

  describe.each([SUCCEED, FAIL])('by %j', (effects) => {
    it.each(FLOWS)('%s ends it after a crash too', async (_, flow) => {
      const first = pieceStep('first');
      const effectsOf = {
        first: { tags: ['vip'], response: { status: 201, headers: {}, body: 'made' } },
        stop: effects,
      };
      const whole = await walk([first, ...flow], { pieceRunner: having(effectsOf) });
      expect(whole.outcome).toMatchObject({ tags: ['vip'], response: { status: 201 } });

      for (let cut = 0; cut <= whole.records.length; cut++) {
        const pieceRunner = having(effectsOf);
        const again = await walk([first, ...flow], { pieceRunner, recorded: asRecorded(whole.records.slice(0, cut)) });

        expect(again.outcome).toEqual(whole.outcome);
        expect(again.steps).toEqual(whole.steps);
        const kept = whole.records.slice(0, cut).map(({ path }) => `r1:${path}`);
        expect(pieceRunner.calls.filter(({ run }) => kept.includes(run.stepKey))).toEqual([]);
      }
    });
  });
});
