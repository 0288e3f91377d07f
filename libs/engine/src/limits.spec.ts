import type { FlowAction } from '@millrace/domain';
import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import type { CodeOutcome } from './ports/code-runner';
import type { ExecutionLimits } from './ports/execution-limits';
import { walk } from './testing/a-walk';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

const inLoop = [loop('l', [1, 2, 3], [loop('m', [1], [codeStep('a')])])];
const text = codeStep('text', {}, '() => "x".repeat(98)');
const wide = codeStep('wide', {}, '() => "😀".repeat(25)');

const FLOWS: [limit: string, FlowAction[], Partial<ExecutionLimits>, failedStep: string][] = [
  ['step limit', inLoop, { stepsPerRun: 1 }, 'm'],
  ['iteration limit', inLoop, { iterationsPerLoop: 2 }, 'l'],
  ['nesting limit', inLoop, { nestedContainers: 1 }, 'm'],
  ['output size limit', [text], { outputBytes: 99 }, 'text'],
  ['output size limit', [wide], { outputBytes: 101 }, 'wide'],
  ['output size limit', [pieceStep('send')], { outputBytes: 99 }, 'send'],
];

const pieceRunner = new ScriptedPieceRunner({ send: [{ output: JSON.stringify('x'.repeat(98)) }] });

describe('a run over a limit', () => {
  it.each(FLOWS)('is FAILED and names it: %s', async (limit, flow, limits, failedStep) => {
    const { outcome, records } = await walk(flow, { limits, pieceRunner });

    const message = expect.stringContaining(limit) as string;
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: failedStep, message } });
    const failed = records.find(({ status }) => status === 'FAILED');
    expect(failed).toMatchObject({ errorMessage: message });
    expect(failed?.path.endsWith(failedStep)).toBe(true);
  });

  it.each(['CPU time limit', 'memory limit'])('of the sandbox keeps its name: %s', async (limit) => {
    const runner = new EvaluatingCodeRunner();
    const message = `The code broke the ${limit}.`;
    runner.run = async (): Promise<CodeOutcome> => ({ kind: 'failed', message, logs: [] });

    expect((await walk([codeStep('a')], { runner })).outcome).toMatchObject({ kind: 'failed', step: { message } });
  });
});

describe('an output', () => {
  it.each([
    ['of just as many bytes is within the limit', text, 100],
    ['is measured in bytes, not characters', wide, 102],
  ])('%s', async (_, step, outputBytes) => {
    expect((await walk([step], { limits: { outputBytes } })).outcome.kind).toBe('succeeded');
  });

  it('that is too large may be passed over, and is not kept', async () => {
    const large = codeStep('large', {}, '() => "x".repeat(98)', {
      errorHandlingOptions: { continueOnFailure: { value: true } },
    });
    const { outcome, records } = await walk([large, codeStep('after', { x: '{{ large }}' })], {
      limits: { outputBytes: 99 },
    });

    expect(outcome.kind).toBe('succeeded');
    expect(records).toMatchObject([{ status: 'FAILED' }, { output: '{"x":""}' }]);
    expect(records[0]).not.toHaveProperty('output');
  });
});
