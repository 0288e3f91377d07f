import type { FlowAction } from '@millrace/domain';
import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import { asRecorded, walk } from '../testing/a-walk';
import { EvaluatingCodeRunner } from '../testing/evaluating-code-runner';
import { InMemoryLargeOutputs } from '../testing/in-memory-large-outputs';
import { ScriptedPieceRunner } from '../testing/scripted-piece-runner';

const passedOver = { errorHandlingOptions: { continueOnFailure: { value: true } } };
const large = (name: string, bytes = 1_000) => codeStep(name, {}, `() => "x".repeat(${bytes})`, passedOver);
const storageLimit = expect.stringContaining('storage limit') as string;
const limits = { storageBytes: 2_500 };

describe('the step data of a run', () => {
  it('is bounded: the step that goes over the limit ends the run, whatever its settings', async () => {
    const { outcome, records } = await walk([large('a'), large('b'), large('c'), large('d')], { limits });

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'c', message: storageLimit } });
    expect(records.map(({ path, status }) => [path, status])).toEqual([
      ['a', 'SUCCEEDED'],
      ['b', 'SUCCEEDED'],
      ['c', 'FAILED'],
    ]);
    expect(records[2]).not.toHaveProperty('output');
  });

  it('counts outputs that are kept outside of the journal', async () => {
    const options = { limits: { ...limits, inlineOutputBytes: 99 }, largeOutputs: new InMemoryLargeOutputs() };

    expect((await walk([large('a'), large('b'), large('c')], options)).outcome).toMatchObject({
      kind: 'failed',
      step: { name: 'c', message: storageLimit },
    });
    expect([...options.largeOutputs.files.keys()]).toEqual(['r1:a', 'r1:b']);
  });

  it('counts inputs, before the step does anything', async () => {
    const pieceRunner = new ScriptedPieceRunner({ send: [{ output: '1' }] });
    const steps: FlowAction[] = [large('a', 1_200), pieceStep('send', { text: '{{ a }}{{ a }}' })];

    const { outcome, records } = await walk(steps, { limits, pieceRunner });

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'send', message: storageLimit } });
    expect(records[1]).not.toHaveProperty('input');
    expect(pieceRunner.calls).toEqual([]);
  });

  it('counts what loops and iterations store', async () => {
    const { outcome } = await walk([loop('l', [1, 2, 3, 4], [large('a')])], { limits });

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'a', message: storageLimit } });
  });

  it('goes on being counted from the records when another worker goes on with the run', async () => {
    const steps = [large('a'), large('b'), large('c')];
    const first = await walk(steps.slice(0, 2), { limits });
    const runner = new EvaluatingCodeRunner();

    const { outcome } = await walk(steps, { limits, runner, recorded: asRecorded(first.records) });

    expect(runner.executedPaths).toEqual(['c']);
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'c', message: storageLimit } });
  });

  it('may come just up to the limit', async () => {
    const { records } = await walk([large('a')]);
    const used = (records[0]?.input?.length ?? 0) + (records[0]?.output?.length ?? 0);

    expect((await walk([large('a')], { limits: { storageBytes: used } })).outcome.kind).toBe('succeeded');
    expect((await walk([large('a')], { limits: { storageBytes: used - 1 } })).outcome.kind).toBe('failed');
  });
});
