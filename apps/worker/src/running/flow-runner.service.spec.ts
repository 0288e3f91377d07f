import type { FlowVersionReader } from '@millrace/domain';
import { aFlowVersion, codeStep, HandDrivenClock, InMemoryRunJournal } from '@millrace/domain/testing';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type CodeCall, type CodeOutcome } from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { FlowRunner } from './flow-runner.service';
import { OwnedRuns } from './owned-runs';

const value = (output: unknown): CodeOutcome => ({ kind: 'value', output: JSON.stringify(output), logs: [] });

function setUp(
  runCode: (stepKey: string, signal: AbortSignal) => Promise<CodeOutcome> = () => Promise.resolve(value(1)),
) {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const version = aFlowVersion([codeStep('a'), codeStep('b', { got: '{{ a.from }}' })]);
  const flows = new CompiledFlows({ getVersion: () => Promise.resolve(version) } as unknown as FlowVersionReader);
  const owned = new OwnedRuns(journal, clock, { flowTimeoutSeconds: 600 });
  const executed: string[] = [];
  const inputs: string[] = [];
  const codeRunner = {
    run: ({ run, input }: CodeCall, signal: AbortSignal) => {
      executed.push(run.stepKey);
      inputs.push(input);
      return runCode(run.stepKey, signal);
    },
  };
  const ports = { codeRunner, pieceRunner: null, clock: new SystemRunClock(), limits: DEFAULT_EXECUTION_LIMITS };
  const samples = { load: jest.fn(() => Promise.resolve(new Map([['a', '{"from":"sample"}']]))) };
  const runner = new FlowRunner(journal, { flows, samples }, owned, ports, { clock, timeoutSeconds: 600 });
  return { clock, journal, owned, executed, inputs, samples, runner };
}

describe('FlowRunner', () => {
  it('brings a run to its ending and records its steps', async () => {
    const { journal, runner } = setUp();
    const row = journal.add({ id: 'run' });

    expect(await runner.run('run')).toBe('ended');

    expect(row).toMatchObject({
      status: 'SUCCEEDED',
      segments: [[{ path: 'a' }, { path: 'b' }]],
      ending: { stepsCount: 2 },
    });
  });

  it('leaves a run alone that has ended, that another worker holds, or that is not there', async () => {
    const { journal, runner, executed, clock } = setUp();
    journal.add({ id: 'ended', status: 'FAILED' });
    journal.add({ id: 'held', epoch: 1, leaseUntil: new Date(clock.now().getTime() + 1_000) });

    for (const id of ['ended', 'held', 'nowhere']) expect(await runner.run(id)).toBe('elsewhere');
    expect(executed).toEqual([]);
  });

  it('goes on with a dead worker’s run where its records end, under a claim of its own', async () => {
    const { journal, runner, executed } = setUp();
    const row = journal.add({
      id: 'run',
      epoch: 3,
      segments: [[{ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: {}, output: 1 }]],
    });

    await runner.run('run');

    expect(executed).toEqual(['run:b']);
    expect(row).toMatchObject({ status: 'SUCCEEDED', epoch: 4, ending: { stepsCount: 2, seq: 1 } });
  });

  it('executes only the step that a run tests, on what the others last gave', async () => {
    const { journal, runner, executed, inputs, samples } = setUp();
    const row = journal.add({ id: 'run', flowId: 'flow_1', environment: 'TESTING', testStep: 'b' });

    expect(await runner.run('run')).toBe('ended');

    expect(executed).toEqual(['run:b']);
    expect(inputs).toEqual(['{"got":"sample"}']);
    expect(samples.load).toHaveBeenCalledWith('flow_1');
    expect(row).toMatchObject({ status: 'SUCCEEDED', segments: [[{ path: 'b' }]] });
  });

  it('does not ask for samples when the whole flow runs', async () => {
    const { journal, runner, samples } = setUp();
    journal.add({ id: 'run', environment: 'TESTING' });

    await runner.run('run');

    expect(samples.load).not.toHaveBeenCalled();
  });

  it('fails the run, not the job, when a step fails', async () => {
    const { journal, runner } = setUp(() => Promise.resolve({ kind: 'failed', message: 'boom', logs: [] }));
    const row = journal.add({ id: 'run' });

    expect(await runner.run('run')).toBe('ended');
    expect(row.ending).toMatchObject({ status: 'FAILED', failedStep: { name: 'a', message: 'boom' } });
  });

  it('leaves the run unfinished when the trouble is ours, and gives it up when told to', async () => {
    const { journal, runner } = setUp(() => Promise.reject(new Error('The sandbox is away.')));
    const row = journal.add({ id: 'run' });

    await expect(runner.run('run')).rejects.toThrow('away');
    expect(row.status).toBe('RUNNING');

    await runner.giveUp('run', 'The sandbox was away three times.');
    expect(row.ending).toMatchObject({ status: 'INTERNAL_ERROR', statusReason: 'The sandbox was away three times.' });
  });

  it('hands the run back at a shutdown, with what is done', async () => {
    let began = () => undefined as void;
    const inSecondStep = new Promise<void>((resolve) => (began = resolve));
    const { journal, runner, owned } = setUp((stepKey, signal) => {
      if (!stepKey.endsWith(':b')) return Promise.resolve(value(1));
      began();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('Stopped.'))));
    });
    const row = journal.add({ id: 'run' });

    const run = runner.run('run');
    await inSecondStep;
    owned.interruptAll();

    expect(await run).toBe('handedBack');
    expect(row).toMatchObject({ status: 'RUNNING', leaseUntil: null, segments: [[{ path: 'a' }]] });
  });
});
