import { firstIdAt, RunMeters, type ExecutionSlot, type FlowAction, type FlowVersionReader } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import {
  aFlowVersion,
  builtInStep,
  codeStep,
  HandDrivenClock,
  InMemoryRunJournal,
  recordingRunEvents,
  type JournalledRequest,
} from '@millrace/domain/testing';
import {
  DEFAULT_EXECUTION_LIMITS,
  PieceRunner,
  SystemRunClock,
  type CodeCall,
  type CodeOutcome,
  type PieceCall,
  type PieceOutcome,
} from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { FlowRunner, type StepPorts } from './flow-runner';
import { OwnedRuns } from './ownership/owned-runs';
import { RunSlots } from './slots/run-slots';

const TIMEOUT_SECONDS = 600;

const value = (output: unknown): CodeOutcome => ({ kind: 'value', output: JSON.stringify(output), logs: [] });

/**
 * `ask` waits for a person, `ask_on_and_on` does so again after each answer, and `respond` gives the run's response.
 */
class AskingPieces extends PieceRunner {
  readonly calls: PieceCall[] = [];

  override isPure(_pieceName: string, actionName: string): boolean {
    return actionName === 'respond';
  }

  override run(call: PieceCall): Promise<PieceOutcome> {
    this.calls.push(call);
    const { actionName, run, resumed, waits = 0 } = call;
    if (actionName === 'respond') {
      const effects = { response: { status: 201, headers: {}, body: 'made' } };
      return Promise.resolve({ kind: 'value', output: 'null', logs: [], effects });
    }
    if (resumed && actionName === 'ask')
      return Promise.resolve({ kind: 'value', output: JSON.stringify(resumed), logs: [] });
    const requestId = `${run.stepKey}#${waits + 1}`;
    const wait = { requestId, kind: 'human', until: null, request: { kind: 'approval' }, child: null } as const;
    return Promise.resolve({ kind: 'waiting', wait, logs: [] });
  }
}

const answered = (requestId: string): JournalledRequest => ({
  requestId,
  kind: 'human',
  stepPath: null,
  due: null,
  endsRun: false,
  request: { kind: 'approval' },
  childRunId: null,
  ended: true,
  ending: { kind: 'human', answer: { approved: true } },
});

const responded = {
  path: 'a',
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  output: 1,
  effects: { response: { status: 201, headers: {}, body: 'made' } },
} as const;

function setUp(
  runCode: (stepKey: string, signal: AbortSignal, slot?: ExecutionSlot) => Promise<CodeOutcome> = () =>
    Promise.resolve(value(1)),
  steps: FlowAction[] = [codeStep('a'), codeStep('b', { got: '{{ a.from }}' })],
) {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const pieces = new AskingPieces();
  const version = aFlowVersion(steps);
  const flows = new CompiledFlows({ getVersion: () => Promise.resolve(version) } as unknown as FlowVersionReader);
  const { events, told } = recordingRunEvents();
  const meters = new RunMeters();
  const services = { clock, timeoutSeconds: TIMEOUT_SECONDS, events, meters };
  const owned = new OwnedRuns(journal, services);
  const executed: string[] = [];
  const inputs: string[] = [];
  const codeRunner = {
    run: ({ run, input, slot }: CodeCall, signal: AbortSignal) => {
      executed.push(run.stepKey);
      inputs.push(input);
      return runCode(run.stepKey, signal, slot);
    },
  };
  class Ports implements StepPorts {
    readonly pieceRunner = pieces;
    readonly clock = new SystemRunClock();
    readonly limits = DEFAULT_EXECUTION_LIMITS;

    get codeRunner() {
      return codeRunner;
    }
  }
  const samples = { load: jest.fn(() => Promise.resolve(new Map([['a', '{"from":"sample"}']]))) };
  const runner = new FlowRunner(journal, { flows, samples }, owned, new Ports(), services);
  return { clock, journal, owned, executed, inputs, samples, runner, pieces, told, meters };
}

beforeAll(() => Logger.overrideLogger(false));

describe('FlowRunner', () => {
  it('executes steps through ports that are getters of a class', async () => {
    const { journal, runner } = setUp();
    const row = journal.add({ id: 'run' });

    expect(await runner.run('run')).toBe('ended');

    expect(row.status).toBe('SUCCEEDED');
  });

  it('ends a run whose record is broken, and says why', async () => {
    const { journal, runner, executed, told } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, unreadable: 'broken', parentRunId: 'above' });

    expect(await runner.run('run')).toBe('ended');

    expect(row.ending).toMatchObject({
      status: 'INTERNAL_ERROR',
      statusReason: 'What the run did so far can no longer be read, so it cannot go on.',
    });
    expect(executed).toEqual([]);
    expect(told).toEqual(['parent of run']);
  });

  it('counts how long the run has waited for a worker, and its steps', async () => {
    const { journal, runner, clock, meters } = setUp(async (key) =>
      key.endsWith(':b') ? { kind: 'failed', message: 'No.', logs: [] } : value(1),
    );
    const id = firstIdAt(new Date(clock.now().getTime() - 3_000));
    journal.add({ id });

    await runner.run(id);

    expect(meters.claim.sum).toBe(3);
    expect(meters.steps.CODE.entries()).toEqual([
      ['SUCCEEDED', 1],
      ['FAILED', 1],
    ]);
    expect(meters).toMatchObject({ leasesLost: 0, attemptsFailed: 0 });
  });

  it('leaves a run to others that a newer version recorded', async () => {
    const { journal, runner, executed } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, unreadable: 'newer' });

    expect(await runner.run('run')).toBe('discarded');

    expect(row).toMatchObject({ status: 'RUNNING', epoch: 1, ending: null });
    expect(executed).toEqual([]);
  });

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

  it('leaves a run alone that has ended, that waits, that another worker holds, or that is not there', async () => {
    const { journal, runner, executed, clock } = setUp();
    journal.add({ id: 'ended', status: 'FAILED' });
    journal.add({ id: 'paused', epoch: 1, status: 'PAUSED' });
    journal.add({ id: 'held', epoch: 1, leaseUntil: new Date(clock.now().getTime() + 1_000) });

    for (const id of ['ended', 'paused', 'held', 'nowhere']) expect(await runner.run(id)).toBe('discarded');
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

  it('gives up a run that cannot be loaded, by its row alone', async () => {
    const { journal, runner } = setUp();
    const row = journal.add({ id: 'run', epoch: 3, segments: [[]] });
    journal.load = () => Promise.reject(new Error('It takes too long.'));

    expect(await runner.canReadRow('run')).toBe(true);
    await runner.giveUpUnread('run', 'It took too long nine times.');

    expect(row.ending).toMatchObject({ status: 'INTERNAL_ERROR', statusReason: 'It took too long nine times.' });
  });

  it('tells when the store does not answer for a run', async () => {
    const { journal, runner } = setUp();
    journal.add({ id: 'run' });
    journal.before = () => Promise.reject(new Error('The database is away.'));

    expect(await runner.canReadRow('run')).toBe(false);
  });

  it('does not give up a run that waits by now', async () => {
    const { journal, runner } = setUp();
    const row = journal.add({ id: 'run', status: 'PAUSED' });
    const load = journal.load.bind(journal);
    journal.load = async (runId) => {
      const run = await load(runId);
      row.status = 'RUNNING'; // its wait ends between the two calls
      return run;
    };

    await runner.giveUp('run', 'The database was away three times.');

    expect(row.status).toBe('RUNNING');
  });

  it('loads a run again whose claim came long after: its former owner may have recorded more, and died', async () => {
    const { clock, journal, runner, executed } = setUp();
    const row = journal.add({ id: 'run', epoch: 1 });
    const claim = journal.claim.bind(journal);
    journal.claim = (...asked) => {
      journal.claim = claim;
      clock.advance(40_000);
      row.segments.push([{ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: {}, output: 1 }]);
      return claim(...asked);
    };

    expect(await runner.run('run')).toBe('ended');
    expect(executed).toEqual(['run:b']);
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

    expect(await run).toBe('reenqueue');
    expect(row).toMatchObject({ status: 'RUNNING', leaseUntil: null, segments: [[{ path: 'a' }]] });
  });

  it('claims a run before it executes whose job was lost before, so that its end is noticed', async () => {
    const { journal, runner } = setUp(() => Promise.reject(new Error('The sandbox is away.')));
    const row = journal.add({ id: 'run' });

    await expect(runner.run('run', { wasLost: true })).rejects.toThrow('away');

    expect(row.epoch).toBe(4);
  });

  it('gives back what it had claimed after trouble of ours: no worker died of it', async () => {
    const { journal, runner, clock } = setUp(() => Promise.reject(new Error('The sandbox is away.')));
    const row = journal.add({ id: 'run', epoch: 1 });

    await expect(runner.run('run')).rejects.toThrow('away');
    clock.advance(60_000);
    await expect(runner.run('run')).rejects.toThrow('away');

    expect(row).toMatchObject({ status: 'RUNNING', epoch: 5, leaseUntil: null, workerDeaths: 0 });
  });

  describe('tells', () => {
    it('those who wait for a run when it has ended, and nobody else', async () => {
      const { journal, runner, told } = setUp();
      journal.add({ id: 'alone' });
      journal.add({ id: 'child', parentRunId: 'alone' });
      journal.add({ id: 'awaited', isAwaited: true });

      for (const id of ['alone', 'child', 'awaited']) await runner.run(id);

      expect(told).toEqual(['parent of child', 'answer of awaited: none']);
    });

    it('who waits for it what it responded', async () => {
      const { journal, runner, told } = setUp(undefined, [builtInStep('respond', 'people', 'respond')]);
      journal.add({ id: 'run', isAwaited: true });

      expect(await runner.run('run')).toBe('ended');

      expect(told).toEqual(['answer of run: made']);
    });

    it('them of a run that was given up, with what it had responded', async () => {
      const { journal, runner, told } = setUp();
      journal.add({ id: 'run', parentRunId: 'above', isAwaited: true, segments: [[responded]] });

      await runner.giveUp('run', 'The service could not execute the run.');

      expect(told).toEqual(['answer of run: made', 'parent of run']);
    });

    it('nobody of an ending that another one had written before', async () => {
      const { journal, runner, told } = setUp(() => {
        journal.cancel(['child']);
        return Promise.resolve(value(1));
      });
      journal.add({ id: 'child', parentRunId: 'above' });

      expect(await runner.run('child')).toBe('discarded');
      expect(told).toEqual([]);
    });
  });

  describe('with a run that waits', () => {
    const steps = [codeStep('a'), builtInStep('ask', 'people', 'ask'), codeStep('b')];

    it('lets go of it, and goes on when the wait has ended', async () => {
      const { journal, runner, executed, pieces } = setUp(undefined, steps);
      const row = journal.add({ id: 'run', depth: 3 });

      expect(await runner.run('run')).toBe('paused');
      expect(row).toMatchObject({ status: 'PAUSED', epoch: 2, leaseUntil: null });
      expect([...row.requests.keys()]).toEqual(['run:ask#1']);
      expect(executed).toEqual(['run:a']);

      row.requests.set('run:ask#1', answered('run:ask#1'));
      journal.wake(row);
      expect(await runner.run('run')).toBe('ended');

      expect(executed).toEqual(['run:a', 'run:b']);
      expect(pieces.calls).toMatchObject([
        { depth: 3 },
        { depth: 3, resumed: { kind: 'human', answer: { approved: true } } },
      ]);
      expect(row).toMatchObject({ status: 'SUCCEEDED', ending: { stepsCount: 3 } });
    });

    it('takes it again at once when the answer was there before the wait', async () => {
      const { journal, runner, executed } = setUp(undefined, steps);
      const row = journal.add({ id: 'run', requests: new Map([['run:ask#1', answered('run:ask#1')]]) });

      expect(await runner.run('run')).toBe('ended');

      expect(executed).toEqual(['run:a', 'run:b']);
      expect(row.status).toBe('SUCCEEDED');
    });

    it('hands it on when its waits end as they begin, again and again', async () => {
      const { journal, runner, pieces } = setUp(undefined, [builtInStep('ask', 'people', 'ask_on_and_on')]);
      const early = Array.from({ length: 200 }, (_, n) => answered(`run:ask#${n + 1}`));
      const row = journal.add({ id: 'run', requests: new Map(early.map((each) => [each.requestId, each])) });

      expect(await runner.run('run')).toBe('reenqueue');

      expect(pieces.calls).toHaveLength(100);
      expect(row).toMatchObject({ status: 'RUNNING', leaseUntil: null });
    });

    it('ends it when its time is over, though each of its walks is too short to see that', async () => {
      const steps = [codeStep('a'), builtInStep('ask', 'people', 'ask_on_and_on')];
      const { clock, journal, runner, pieces } = setUp(undefined, steps);
      const early = Array.from({ length: 200 }, (_, n) => answered(`run:ask#${n + 1}`));
      const row = journal.add({ id: 'run', requests: new Map(early.map((each) => [each.requestId, each])) });
      const ask = pieces.run.bind(pieces);
      pieces.run = (call) => {
        clock.advance(60_000);
        return ask(call);
      };

      expect(await runner.run('run')).toBe('ended');

      expect(pieces.calls).toHaveLength(10);
      expect(row.ending).toMatchObject({
        status: 'TIMEOUT',
        statusReason: 'The run exceeded its time limit of 600 s.',
        records: [],
        stepsCount: 2,
      });
    });

    it('stops when another owner came before it could pause', async () => {
      const { journal, runner } = setUp(undefined, steps);
      const row = journal.add({ id: 'run' });
      journal.before = (write) => {
        if (write === 'pause') row.epoch++;
        return Promise.resolve();
      };

      expect(await runner.run('run')).toBe('discarded');
      expect(row.status).toBe('RUNNING');
    });

    it('announces a response from before the wait, once', async () => {
      const { journal, runner, told } = setUp(undefined, [builtInStep('respond', 'people', 'respond'), ...steps]);
      const row = journal.add({ id: 'run', isAwaited: true });

      await runner.run('run');
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

      expect(row.status).toBe('PAUSED');
      expect(told).toEqual(['answer of run: made']);
    });
  });

  describe('with a run that is cancelled', () => {
    it('stops the step that executes, and puts it on record', async () => {
      let began = () => undefined as void;
      const inStep = new Promise<void>((resolve) => (began = resolve));
      const { journal, runner, owned } = setUp((_stepKey, signal) => {
        began();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('Stopped.'))));
      });
      const row = journal.add({ id: 'run' });

      const run = runner.run('run');
      await inStep;
      journal.cancel(['run']);
      owned.stop(['run']);

      expect(await run).toBe('ended');
      expect(row).toMatchObject({ status: 'STOPPED', segments: [[{ path: 'a', status: 'STOPPED' }]] });
    });
  });

  it('lets the time of a run count after an attempt that says nothing about it, once', async () => {
    const { journal, runner, clock } = setUp();
    const began = clock.now();
    const row = journal.add({ id: 'run' });

    await runner.noteBegun('run');
    clock.advance(1_000);
    await runner.noteBegun('run');

    expect(row).toMatchObject({ status: 'RUNNING', startTime: began, leaseUntil: null, workerDeaths: 0 });
  });

  describe('with a run that has lost workers', () => {
    const lostOnce = (clock: HandDrivenClock) => ({ epoch: 1, leaseUntil: new Date(clock.now().getTime() - 1) });

    it('executes it as any other after the first', async () => {
      const { journal, runner, clock } = setUp();
      const row = journal.add({ id: 'run', ...lostOnce(clock) });

      expect(await runner.run('run')).toBe('ended');

      expect(row).toMatchObject({ status: 'SUCCEEDED', workerDeaths: 1 });
    });

    it.each([
      ['second', 'sharedQuarantine', 2],
      ['third', 'singleQuarantine', 3],
      ['fourth', 'singleQuarantine', 4],
    ] as const)(
      'leaves it for quarantine after the %s, unclaimed, and executes it there',
      async (_nth, quarantine, deaths) => {
        const { journal, runner, executed, clock } = setUp();
        const row = journal.add({ id: 'run', workerDeaths: deaths - 1, ...lostOnce(clock) });

        expect(await runner.run('run')).toBe(quarantine);
        expect(executed).toEqual([]);
        expect(row).toMatchObject({ status: 'RUNNING', epoch: 1, workerDeaths: deaths - 1 });

        expect(await runner.run('run', { wasLost: true, quarantine })).toBe('ended');
        expect(row).toMatchObject({ status: 'SUCCEEDED', epoch: 4, workerDeaths: deaths });
      },
    );

    it('leaves it for the narrower quarantine when another worker was lost while it waited for the first', async () => {
      const { journal, runner, clock } = setUp();
      journal.add({ id: 'run', workerDeaths: 2, ...lostOnce(clock) });

      expect(await runner.run('run', { wasLost: true, quarantine: 'sharedQuarantine' })).toBe('singleQuarantine');
    });

    it('gives it up after the second in quarantine on its own, with what is on record', async () => {
      const { journal, runner, executed, clock, told } = setUp();
      const effects = { tags: ['vip'] };
      const recorded = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, output: 1, effects } as const;
      const row = journal.add({
        id: 'run',
        workerDeaths: 4,
        parentRunId: 'above',
        segments: [[recorded]],
        ...lostOnce(clock),
      });

      expect(await runner.run('run')).toBe('ended');

      expect(executed).toEqual([]);
      expect(row.ending).toMatchObject({
        status: 'INTERNAL_ERROR',
        statusReason:
          'The run was in hand when its worker ended 5 times, the last 2 times in quarantine on its own, and is not tried again.',
        stepsCount: 1,
        tags: ['vip'],
      });
      expect(told).toEqual(['parent of run']);
    });

    it('leaves a trace while it loads it, and none when that went well', async () => {
      const { journal, runner, clock } = setUp();
      const row = journal.add({ id: 'run', startTime: clock.now() });
      const leases: boolean[] = [];
      journal.before = (call) => {
        if (call === 'load') leases.push(row.leaseUntil !== null);
        return Promise.resolve();
      };

      expect(await runner.run('run', { wasLost: true })).toBe('ended');

      expect(leases).toEqual([true]);
      expect(row).toMatchObject({ status: 'SUCCEEDED', workerDeaths: 0 });
    });

    it('tells that it lives when the load failed, and the trace could not be taken back', async () => {
      const { journal, runner } = setUp();
      const row = journal.add({ id: 'run' });
      journal.before = (call) =>
        call === 'load' ? Promise.reject(new Error('The database is away.')) : Promise.resolve();

      await expect(runner.run('run', { wasLost: true })).rejects.toThrow('away');
      await new Promise<void>((resolve) => {
        journal.before = (call) => {
          if (call === 'disown') setImmediate(resolve);
          return Promise.resolve();
        };
      });

      expect(row).toMatchObject({ status: 'RUNNING', leaseUntil: null, workerDeaths: 0 });
    });

    it('loads what is to be given up once more, and never again when a worker ended over that', async () => {
      const { journal, runner, clock, told } = setUp();
      const segments = [[responded]];
      const row = journal.add({ id: 'run', isAwaited: true, workerDeaths: 5, segments, ...lostOnce(clock) });
      const load = jest.spyOn(journal, 'load');

      expect(await runner.run('run', { wasLost: true })).toBe('ended');

      expect(load).not.toHaveBeenCalled();
      expect(row.ending).toMatchObject({ status: 'INTERNAL_ERROR', stepsCount: 0 });
      expect(told).toHaveLength(1);
    });

    it('goes into quarantine before it is loaded', async () => {
      const { journal, runner, clock } = setUp();
      journal.add({ id: 'run', workerDeaths: 2, ...lostOnce(clock) });
      const load = jest.spyOn(journal, 'load');

      expect(await runner.run('run', { wasLost: true })).toBe('singleQuarantine');

      expect(load).not.toHaveBeenCalled();
    });

    it('ends it when its time is over', async () => {
      const { journal, runner, executed, clock } = setUp();
      const startTime = clock.now();
      const row = journal.add({ id: 'run', startTime, ...lostOnce(clock) });
      clock.advance(TIMEOUT_SECONDS * 1_000);

      expect(await runner.run('run')).toBe('ended');

      expect(executed).toEqual([]);
      expect(row.ending).toMatchObject({ status: 'TIMEOUT', startTime, finishTime: clock.now() });
    });

    it('says again what it responded: the worker that recorded it may not have', async () => {
      const { journal, runner, told, clock } = setUp(() => {
        told.push('it goes on');
        return Promise.resolve(value(1));
      });
      journal.add({ id: 'run', isAwaited: true, segments: [[responded]], ...lostOnce(clock) });

      await runner.run('run');

      expect(told).toEqual(['answer of run: made', 'it goes on', 'answer of run: made']);
    });
  });
});

describe('FlowRunner in a slot', () => {
  const sleeping = () => {
    let wake = () => undefined as void;
    const slept = new Promise<void>((resolve) => (wake = resolve));
    return { slept, wake };
  };

  /** Resolves when a step has begun. A walk may take several turns until then. */
  const beginning = () => {
    const { slept: begun, wake: begins } = sleeping();
    return { begun, begins };
  };

  it('lets other runs execute while its own waits, and counts what it holds meanwhile', async () => {
    const slots = new RunSlots(1, { runs: 10, bytes: 1_000 });
    const { slept, wake } = sleeping();
    const begun: string[] = [];
    const { journal, runner } = setUp(async (stepKey, _signal, slot) => {
      begun.push(stepKey);
      if (stepKey === 'waits:a') await slot?.whileWaiting(() => slept);
      return value(1);
    });
    for (const id of ['waits', 'quick']) journal.add({ id });
    const run = (id: string) => slots.take('project', (slot) => runner.run(id, { wasLost: false, slot }));

    const waits = run('waits');
    expect(await run('quick')).toBe('ended');
    expect(slots.withoutSlot).toBe(1);
    wake();

    expect(await waits).toBe('ended');
    expect(begun).toEqual(['waits:a', 'quick:a', 'quick:b', 'waits:b']);
    expect([slots.withoutSlot, slots.freeSlots]).toEqual([0, 1]);
  });

  it('keeps its slot while it waits when it holds more than may wait', async () => {
    const slots = new RunSlots(1, { runs: 10, bytes: 1_000 });
    const { slept, wake } = sleeping();
    const { begun, begins } = beginning();
    const { journal, runner, executed } = setUp(async (stepKey, _signal, slot) => {
      if (stepKey === 'waits:b') {
        begins();
        await slot?.whileWaiting(() => slept);
      }
      return value('x'.repeat(1_000));
    });
    for (const id of ['waits', 'quick']) journal.add({ id });
    const run = (id: string) => slots.take('project', (slot) => runner.run(id, { wasLost: false, slot }));

    const all = [run('waits'), run('quick')];
    await begun;
    await new Promise((resolve) => setImmediate(resolve)); // the other run could begin now
    expect(executed).toEqual(['waits:a', 'waits:b']);
    wake();

    expect(await Promise.all(all)).toEqual(['ended', 'ended']);
  });

  it('is handed back at once when it is interrupted while it waits, whoever has its slot', async () => {
    const slots = new RunSlots(1);
    const { slept, wake } = sleeping();
    const { begun, begins } = beginning();
    const { journal, runner } = setUp(async (stepKey, signal, slot) => {
      if (stepKey !== 'waits:a') {
        begins();
        return (await slept, value(1));
      }
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await slot?.whileWaiting(() => aborted);
      throw new Error('It was stopped.');
    });
    for (const id of ['waits', 'long']) journal.add({ id });
    const run = (id: string) => slots.take('project', (slot) => runner.run(id, { wasLost: false, slot }));

    const [waits, long] = [run('waits'), run('long')];
    await begun;
    runner.interruptAll();

    expect(await waits).toBe('reenqueue');
    wake();
    expect(await long).toBe('reenqueue');
  });
});
