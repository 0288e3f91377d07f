import type { ControlSettings, FlowTrigger, FlowVersionReader } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import {
  aFlowVersion,
  codeStep,
  HandDrivenClock,
  InMemoryFlowControl,
  InMemoryJobQueue,
  InMemoryRunJournal,
  recordingRunEvents,
} from '@millrace/domain/testing';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type CodeCall, type CodeOutcome } from '@millrace/engine';
import { CompiledFlows } from '../compiled-flows';
import { FlowRunner } from '../flow-runner';
import { OwnedRuns } from '../ownership/owned-runs';

const VALUE: CodeOutcome = { kind: 'value', output: '1', logs: [] };

function setUp(
  control: ControlSettings,
  evaluate: (call: CodeCall) => CodeOutcome = () => VALUE,
  executeCode?: () => Promise<CodeOutcome>,
) {
  const clock = new HandDrivenClock();
  const queue = new InMemoryJobQueue();
  const journal = new InMemoryRunJournal(clock, queue);
  const flowControl = new InMemoryFlowControl(journal);
  const version = aFlowVersion([codeStep('a')]);
  const settings = { ...version.trigger.settings, ...control };
  const trigger = { ...version.trigger, settings } as FlowTrigger;
  const flows = new CompiledFlows({
    getVersion: () => Promise.resolve({ ...version, trigger }),
  } as unknown as FlowVersionReader);
  const { events, told } = recordingRunEvents();
  const services = { clock, timeoutSeconds: 600, events, control: flowControl };
  const finish = new Map<string, (outcome: CodeOutcome) => void>();
  const run = (call: CodeCall): Promise<CodeOutcome> =>
    call.program.kind === 'code'
      ? (executeCode?.() ?? new Promise((resolve) => finish.set(call.run.id, resolve)))
      : Promise.resolve(evaluate(call));
  const ports = {
    codeRunner: { run },
    pieceRunner: null,
    clock: new SystemRunClock(),
    limits: DEFAULT_EXECUTION_LIMITS,
  };
  const samples = { load: () => Promise.resolve(new Map<string, string>()) };
  const runner = new FlowRunner(journal, { flows, samples }, new OwnedRuns(journal, services), ports, services);
  const woken = () => queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId));
  return { clock, journal, runner, finish, told, woken, flowControl };
}

const begun = async (finish: ReadonlyMap<string, unknown>, runId: string): Promise<void> => {
  while (!finish.has(runId)) await new Promise((resolve) => setImmediate(resolve));
};

beforeAll(() => Logger.overrideLogger(false));

describe('the admission of runs', () => {
  it('keeps a run waiting while another has the place, and gives it a job after that', async () => {
    const { journal, runner, finish, woken, flowControl } = setUp({ concurrency: { limit: 1 } });
    const [first, second] = [journal.add({ id: 'run_1' }), journal.add({ id: 'run_2' })];

    const running = runner.run('run_1');
    await begun(finish, 'run_1');
    expect(await runner.run('run_2')).toBe('discarded');
    expect(second).toMatchObject({ status: 'RUNNING', startTime: null });
    finish.get('run_1')?.(VALUE);

    expect(await running).toBe('ended');
    expect(first.status).toBe('SUCCEEDED');
    expect(woken()).toEqual(['run_2']);
    expect([...flowControl.entries.keys()]).toEqual(['run_2']);
  });

  it('is asked for again by a worker that was frozen after it, so that the start on record is the real one', async () => {
    const { clock, journal, runner, finish, flowControl } = setUp({ rateLimit: { limit: 1, windowSeconds: 10 } });
    const run = journal.add({ id: 'run_1' });
    const admit = flowControl.admit.bind(flowControl);
    const asked = jest.spyOn(flowControl, 'admit').mockImplementationOnce(async (...of) => {
      const answer = await admit(...of);
      clock.advance(45_000);
      return answer;
    });

    const running = runner.run('run_1');
    await begun(finish, 'run_1');
    const startTime = clock.now();
    clock.advance(1_000);
    finish.get('run_1')?.(VALUE);

    expect(await running).toBe('ended');
    expect(asked).toHaveBeenCalledTimes(2);
    expect(run.startTime).toEqual(startTime);
    expect([...flowControl.starts.values()].flatMap((starts) => [...starts.values()])).toMatchObject([
      { at: startTime },
    ]);
  });

  it('tells the sender of a run that is dropped', async () => {
    const { journal, runner, finish, told } = setUp({ concurrency: { limit: 1, overflow: 'drop' } });
    journal.add({ id: 'run_1' });
    const dropped = journal.add({ id: 'run_2', isAwaited: true });
    const running = runner.run('run_1');
    await begun(finish, 'run_1');

    await runner.run('run_2');
    finish.get('run_1')?.(VALUE);
    await running;

    expect(dropped).toMatchObject({ status: 'STOPPED', statusReason: expect.stringContaining('dropped') as string });
    expect(told).toHaveLength(1);
  });

  it('leaves a run without a start that waits, although its worker was lost or an attempt did not count', async () => {
    const { journal, runner, finish } = setUp({ concurrency: { limit: 1 } });
    const [first, second] = [journal.add({ id: 'run_1' }), journal.add({ id: 'run_2' })];
    const running = runner.run('run_1');
    await begun(finish, 'run_1');

    expect(await runner.run('run_2', { wasLost: true })).toBe('discarded');
    await runner.noteBegun('run_2');

    expect(second).toMatchObject({ status: 'RUNNING', startTime: null, leaseUntil: null, workerDeaths: 0 });
    finish.get('run_1')?.(VALUE);
    await running;
    expect(first.startTime).not.toBeNull();
  });

  it('lets the time of a run count that it let begin, after an attempt that says nothing about it', async () => {
    const { journal, runner, clock } = setUp({ concurrency: { limit: 1 } }, undefined, () =>
      Promise.reject(new Error('The sandbox is away.')),
    );
    const run = journal.add({ id: 'run_1' });

    await expect(runner.run('run_1')).rejects.toThrow('away');

    expect(run).toMatchObject({ status: 'RUNNING', startTime: clock.now(), leaseUntil: null, workerDeaths: 0 });
  });

  it('is not for test runs', async () => {
    const { journal, runner, finish, flowControl } = setUp({ concurrency: { limit: 1 } });
    for (const id of ['run_1', 'run_2']) journal.add({ id, environment: 'TESTING' });

    const running = [runner.run('run_1'), runner.run('run_2')];
    for (const id of ['run_1', 'run_2']) await begun(finish, id);
    for (const end of finish.values()) end(VALUE);

    expect(await Promise.all(running)).toEqual(['ended', 'ended']);
    expect(flowControl.entries.size).toBe(0);
  });

  it('fails a run whose keys cannot be resolved, at its trigger', async () => {
    const key = '{{ [1, 2].map(String) }}';
    const limited: CodeOutcome = { kind: 'failed', message: 'CPU time limit', logs: [] };
    const failing = setUp({ dedupe: { key, windowSeconds: 60 } }, () => limited);
    const row = failing.journal.add({ id: 'run_1' });

    expect(await failing.runner.run('run_1')).toBe('ended');

    const message = "The keys of the flow's control failed: CPU time limit";
    expect(row.ending).toMatchObject({ status: 'FAILED', failedStep: { name: 'trigger', message } });
  });
});
