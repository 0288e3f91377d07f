import type { FlowAction } from '@millrace/domain';
import { branch, codeStep, fallback, loop, router } from '@millrace/domain/testing';
import { asRecorded, walk } from './testing/a-walk';

const FLAKY = codeStep('flaky', {}, '() => { throw new Error("as always"); }', {
  errorHandlingOptions: { continueOnFailure: { value: true } },
});

const isEven = branch(
  'even',
  [[{ operator: 'NUMBER_IS_EQUAL_TO', firstValue: '{{ inner.item % 2 }}', secondValue: 0 }]],
  [codeStep('even', { n: '{{inner.item}}', of: '{{before.sum}}' })],
);

const FLOW: FlowAction[] = [
  codeStep('before', { sum: '{{ trigger.lists.flat().length }}' }),
  FLAKY,
  loop('outer', '{{ trigger.lists.map(list => list.slice()) }}', [
    codeStep('first', { at: '{{outer.index}}' }),
    loop('inner', '{{outer.item}}', [
      router('which', [isEven, fallback([codeStep('odd', { n: '{{inner.item}}', at: '{{first.at}}' })])], {
        executionType: 'EXECUTE_ALL_MATCH',
      }),
      codeStep('last', { which: '{{which.branches[0].evaluation}}', even: '{{even.n}}' }),
    ]),
    codeStep('sum', { lasts: '{{ inner.iterations.map(i => i.last.output.even) }}', last: '{{inner.item}}' }),
  ]),
  codeStep('after', { all: '{{outer.iterations}}', flaky: '{{flaky}}' }),
];
const trigger = { lists: [[1, 2], [], [4]] };

describe('a run cut off after any record', () => {
  it('goes on to the same end and repeats no step', async () => {
    const whole = await walk(FLOW, { trigger });
    expect(whole.outcome).toMatchObject({ kind: 'succeeded', stepsCount: 22 });

    for (let cut = 0; cut <= whole.records.length; cut++) {
      const kept = whole.records.slice(0, cut);
      const rest = await walk(FLOW, { trigger, recorded: asRecorded(kept) });

      expect(rest.steps).toEqual(whole.steps);
      expect(rest.outcome).toEqual(whole.outcome);
      const keptPaths = new Set(kept.map(({ path }) => path));
      expect(rest.runner.executedPaths.filter((path) => keptPaths.has(path))).toEqual([]);
      expect(rest.runner.executedPaths.length + kept.filter(({ type }) => type === 'CODE').length).toBe(
        whole.runner.executedPaths.length,
      );
    }
  });

  it('tells its sink which steps begin, and of none that is on record', async () => {
    const flow = [codeStep('a'), loop('l', [1, 2], [codeStep('b')])];
    const whole = await walk(flow);
    expect(whole.sink.begun).toEqual(['a', 'l', 'l[0].b', 'l[1].b']);

    const rest = await walk(flow, { recorded: asRecorded(whole.records.slice(0, 2)) });

    expect(rest.sink.begun).toEqual(['l', 'l[1].b']);
  });

  it('fails as it did when the failure is on record', async () => {
    const flow = [loop('l', [1, 2], [codeStep('bad', {}, '() => { throw new Error("no"); }', { displayName: 'Bad' })])];
    const whole = await walk(flow);

    for (let cut = 0; cut <= whole.records.length; cut++) {
      const rest = await walk(flow, { recorded: asRecorded(whole.records.slice(0, cut)) });
      expect(rest.outcome).toEqual(whole.outcome);
      expect(rest.runner.calls).toHaveLength(cut === 0 ? 1 : 0);
    }
  });

  it('loops over the items it began with, although code would now give others', async () => {
    const flow = [loop('l', '{{ [Math.random()] }}', [codeStep('a', { n: '{{l.item}}' })])];
    const first = await walk(flow);
    expect(first.records.map(({ path, status }) => [path, status])).toEqual([
      ['l', 'RUNNING'],
      ['l[0].a', 'SUCCEEDED'],
      ['l', 'SUCCEEDED'],
    ]);

    const again = await walk(flow, { recorded: asRecorded(first.records.slice(0, 1)) });

    expect(again.steps['l']?.output).toMatchObject({ item: (first.steps['l']?.output as { item: number }).item });
  });

  it('executes a stopped step again', async () => {
    const [record] = asRecorded((await walk([codeStep('a')])).records);
    const { outcome, runner } = await walk([codeStep('a')], {
      recorded: record ? [{ ...record, status: 'STOPPED' }] : [],
    });

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 });
    expect(runner.executedPaths).toEqual(['a']);
  });

  it('takes the evaluation on record, not a new one', async () => {
    const branches = [branch('never', [], [codeStep('a')]), fallback([codeStep('b')])];
    const evaluation = (held: boolean[]) => ({ branches: held.map((evaluation) => ({ evaluation })) });
    const recorded = [
      { path: 'r', type: 'ROUTER', status: 'SUCCEEDED', duration: 1, output: evaluation([true, false]) },
    ] as const;
    const { runner } = await walk([router('r', branches)], { recorded: [...recorded] });

    expect(runner.executedPaths).toEqual(['a']);
  });
});
