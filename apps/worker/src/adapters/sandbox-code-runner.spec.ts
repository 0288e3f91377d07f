import { RecordingSlot } from '@millrace/domain/testing';
import type { CodeCall } from '@millrace/engine';
import type { Sandbox, SandboxFailure, SandboxOutcome, SandboxTask } from '@millrace/sandbox';
import type { CodeBundles } from './code-bundles';
import { SandboxCodeRunner } from './sandbox-code-runner';

const call: CodeCall = {
  program: { kind: 'expressions', script: '() => [1]', hash: 'h' },
  input: '{}',
  run: { id: 'run', flowId: 'flow', projectId: 'project', stepKey: 'run:step_1' },
};
const failure = (failure: SandboxFailure): SandboxOutcome => ({ kind: 'failure', failure, logs: ['a'], cpuMs: 1 });

function setUp(outcome: SandboxOutcome, bundle: unknown = null) {
  const run = jest.fn((_task: SandboxTask) => Promise.resolve(outcome));
  const runner = new SandboxCodeRunner(
    { run } as unknown as Sandbox,
    { get: () => Promise.resolve(bundle) } as unknown as CodeBundles,
  );
  return { run, outcome: (what: CodeCall = call) => runner.run(what, new AbortController().signal) };
}

describe('SandboxCodeRunner', () => {
  it('keeps the prepared code of one project apart from every other', async () => {
    const { run, outcome } = setUp({ kind: 'value', output: '[1]', logs: [], cpuMs: 1 });

    expect(await outcome()).toEqual({ kind: 'value', output: '[1]', logs: [] });
    expect(run).toHaveBeenCalledWith(expect.objectContaining({ tenant: 'project', input: '{}' }), expect.anything());
  });

  it.each([
    [
      { kind: 'threw', name: 'TypeError', message: 'x is not a function (line 2, column 5)' },
      'TypeError: x is not a function (line 2, column 5)',
    ],
    [
      { kind: 'memory', message: 'The code needed more than the memory limit of 128 MB.' },
      'The code needed more than the memory limit of 128 MB.',
    ],
  ] as [SandboxFailure, string][])('tells the author what went wrong: %j', async (thrown, message) => {
    expect(await setUp(failure(thrown)).outcome()).toEqual({ kind: 'failed', message, logs: ['a'] });
  });

  it('fails the expressions of a step that met the memory limit, though they would only be empty', async () => {
    const { outcome } = setUp({ kind: 'value', output: '"[null]"', logs: [], cpuMs: 1, memoryWasRefused: true });

    expect(await outcome()).toMatchObject({ kind: 'failed', message: expect.stringContaining('memory limit') });
  });

  it('fails the step when its source does not compile', async () => {
    const program = { kind: 'code', code: '(', packageJson: '{}', hash: 'h' } as const;

    expect(
      await setUp(failure({ kind: 'source', message: '' }), { problem: 'Unexpected end.' }).outcome({
        ...call,
        program,
      }),
    ).toEqual({
      kind: 'failed',
      message: 'Unexpected end.',
      logs: [],
    });
  });

  it('leaves the slot of the run while its code sleeps, and has it back before the step goes on', async () => {
    const slot = new RecordingSlot();
    const { run, outcome } = setUp({ kind: 'value', output: '1', logs: [], cpuMs: 1 }, { script: '', scriptHash: 'h' });
    run.mockImplementation(({ onSleep }) => {
      onSleep?.(true);
      slot.events.push('sleeps');
      onSleep?.(false);
      return Promise.resolve({ kind: 'value', output: '1', logs: [], cpuMs: 1 });
    });
    const program = { kind: 'code', code: '', packageJson: '{}', hash: 'h' } as const;

    await outcome({ ...call, program, slot });

    expect(slot.events).toEqual(['left', 'sleeps', 'came back', 'came back']);
  });

  it('rejects when the step was stopped by us: that is not the doing of its code', async () => {
    await expect(setUp(failure({ kind: 'aborted', message: 'The sandbox was closed.' })).outcome()).rejects.toThrow(
      'closed',
    );
  });
});
