import type { FlowAction } from '@millrace/domain';
import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import { asRecorded, walk } from '../testing/a-walk';
import { EvaluatingCodeRunner } from '../testing/evaluating-code-runner';
import { InMemoryLargeOutputs } from '../testing/in-memory-large-outputs';
import { ScriptedPieceRunner } from '../testing/scripted-piece-runner';
import { aTimer, atTime } from '../testing/waiting-piece-runner';

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

  it('counts the files that steps write, and leaves them what room there is', async () => {
    const pieceRunner = new ScriptedPieceRunner({ a: [{ effects: { fileBytes: 2_000 } }] });
    const steps = [pieceStep('a', {}), pieceStep('b', {}), large('c')];

    const { outcome } = await walk(steps, { limits, pieceRunner });

    expect(pieceRunner.calls[0]?.fileRoom).toEqual({ bytes: 2_500, problem: storageLimit });
    const { bytes: left = 0 } = pieceRunner.calls[1]?.fileRoom ?? {};
    expect(left).toBeGreaterThan(400);
    expect(left).toBeLessThan(500);
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'c', message: storageLimit } });
  });

  it('counts the files of an attempt that failed, and those of the next one only as far as they are more', async () => {
    const failed = {
      kind: 'failed',
      message: 'Not now.',
      logs: [],
      effects: { fileBytes: 700, tags: ['no'] },
    } as const;
    const pieceRunner = new ScriptedPieceRunner({ a: [failed, { effects: { fileBytes: 800 } }] });
    const retried = { errorHandlingOptions: { retryOnFailure: { value: true } } };

    const { records } = await walk([pieceStep('a', {}, retried), pieceStep('b', {})], { limits, pieceRunner });

    const [first = 0, second = 0, next = 0] = pieceRunner.calls.map(({ fileRoom }) => fileRoom?.bytes ?? 0);
    expect(first).toBe(2_500);
    expect(first - second).toBeLessThan(100); // the records of the attempts
    expect(first - next).toBeGreaterThanOrEqual(800);
    expect(first - next).toBeLessThan(1_000);
    expect(records[0]).toMatchObject({ status: 'RUNNING', effects: { fileBytes: 700 } });
    expect(records[0]?.effects).not.toHaveProperty('tags');
  });

  it('counts the files of a step that waits, also when another worker goes on with it', async () => {
    const steps = [pieceStep('a', {}), pieceStep('b', {})];
    const effects = { fileBytes: 700 };
    const waiting = { kind: 'waiting', wait: aTimer('r1:a', 1), logs: [], effects } as const;
    const first = await walk(steps, { limits, pieceRunner: new ScriptedPieceRunner({ a: [waiting] }) });
    const pieceRunner = new ScriptedPieceRunner({ a: [{ effects }] });
    const waitEndings = new Map([['r1:a#1', atTime('2026-01-01')]]);

    const resumed = { limits, pieceRunner, recorded: asRecorded(first.records), waitEndings };
    const { records } = await walk(steps, resumed);

    expect(records.find(({ path }) => path === 'a')?.effects).toEqual({ fileBytes: 1_400 });
    const rooms = pieceRunner.calls.map(({ fileRoom }) => fileRoom?.bytes ?? 0);
    expect(rooms[0]).toBeLessThanOrEqual(1_800);
    expect(rooms[0]).toBeGreaterThan(1_600);
    expect(rooms[1]).toBeLessThanOrEqual(1_100);
    expect(rooms[1]).toBeGreaterThan(900);
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
