import type { BranchCondition, FlowAction } from '@millrace/domain';
import { aFlowVersion, branch, codeStep, fallback, loop, pieceStep, router } from '@millrace/domain/testing';
import type { AbortReason } from './run/run-exit';
import type { CodeOutcome } from './ports/code-runner';
import { compileFlowVersion } from './compile/compile-version';
import { DEFAULT_EXECUTION_LIMITS } from './ports/execution-limits';
import { PieceRunner, type PieceCall } from './ports/piece-runner';
import { runFlow } from './run-flow';
import { GatheringSink, HandClock, walk } from './testing/a-walk';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

const THROW = '() => { throw new Error("no luck"); }';
const yes: BranchCondition[][] = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: true }]];
const no: BranchCondition[][] = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: false }]];
const when = (firstValue: unknown): BranchCondition[][] => [[{ operator: 'BOOLEAN_IS_TRUE', firstValue }]];

describe('a code step', () => {
  it('is recorded with its input, output and key', async () => {
    const { outcome, records, runner } = await walk([codeStep('step', { a: '{{trigger}}' })], { trigger: 5 });

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 });
    expect(records).toEqual([
      {
        path: 'step',
        type: 'CODE',
        status: 'SUCCEEDED',
        duration: 0,
        startedAfter: 0,
        input: '{"a":5}',
        output: '{"a":5}',
      },
    ]);
    expect(runner.calls[0]?.run).toEqual({ id: 'r1', flowId: 'f1', projectId: 'p1', stepKey: 'r1:step' });
  });

  it('that fails ends the run', async () => {
    const { outcome, records } = await walk([
      codeStep('bad', {}, THROW, { displayName: 'Bad one' }),
      codeStep('after'),
    ]);

    const step = { name: 'bad', displayName: 'Bad one', message: 'no luck' };
    expect(outcome).toMatchObject({ kind: 'failed', step, reason: null, stepsCount: 1 });
    expect(records).toMatchObject([{ status: 'FAILED', errorMessage: 'no luck', logs: ['before it failed'] }]);
  });

  it('that continues on failure is FAILED, reads as nothing, and the flow goes on', async () => {
    const bad = codeStep('bad', {}, THROW, { errorHandlingOptions: { continueOnFailure: { value: true } } });
    const { outcome, steps } = await walk([bad, codeStep('after', { bad: '{{bad}}' })]);

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 2 });
    expect(steps).toMatchObject({ bad: { status: 'FAILED', output: null }, after: { output: { bad: '' } } });
  });

  it('that retries has four attempts, 2, 4 and 8 s apart', async () => {
    const bad = codeStep('bad', {}, THROW, { errorHandlingOptions: { retryOnFailure: { value: true } } });
    const { outcome, records, clock, runner } = await walk([bad]);

    expect(outcome.kind).toBe('failed');
    expect(clock.sleeps).toEqual([2_000, 4_000, 8_000]);
    expect(records.at(-1)).toMatchObject({ status: 'FAILED', attempts: 4, duration: 14_000 });
    expect(new Set(runner.calls.map(({ run }) => run.stepKey))).toEqual(new Set(['r1:bad']));
  });

  it('that succeeds at a later attempt says which', async () => {
    const runner = new EvaluatingCodeRunner();
    const code = codeStep('step', {}, undefined, {
      errorHandlingOptions: { retryOnFailure: { value: true } },
    });
    runner.run = async () => (clock.sleeps.length < 1 ? failed('first') : { kind: 'value', output: '1', logs: [] });
    const clock = new HandClock();
    const { records } = await walk([code], { runner, clock });

    expect(records.at(-1)).toMatchObject({ status: 'SUCCEEDED', attempts: 2, output: '1' });
  });

  it('that is skipped leaves no trace, with all that is inside it', async () => {
    const { outcome, records } = await walk([
      codeStep('a', {}, undefined, { skip: true }),
      loop('l', [1], [codeStep('b')], { skip: true }),
      codeStep('c', { a: '{{a.x}}' }),
    ]);

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 });
    expect(records.map(({ path }) => path)).toEqual(['c']);
  });
});

describe('a router', () => {
  const taken = async (executionType: 'EXECUTE_FIRST_MATCH' | 'EXECUTE_ALL_MATCH', ...values: (boolean | 'else')[]) => {
    const branches = values.map((value, index) =>
      value === 'else'
        ? fallback([codeStep(`s${index}`)])
        : branch(`b${index}`, value ? yes : no, [codeStep(`s${index}`)]),
    );
    return (await walk([router('router', branches, { executionType })])).runner.executedPaths;
  };

  it.each([
    ['EXECUTE_FIRST_MATCH', [true, true, 'else'], ['s0']],
    ['EXECUTE_FIRST_MATCH', [false, true, 'else'], ['s1']],
    ['EXECUTE_FIRST_MATCH', [false, false, 'else'], ['s2']],
    ['EXECUTE_FIRST_MATCH', ['else', false, true], ['s2']],
    ['EXECUTE_FIRST_MATCH', [false, false], []],
    ['EXECUTE_ALL_MATCH', [true, false, true, 'else'], ['s0', 's2']],
    ['EXECUTE_ALL_MATCH', [false, 'else', false], ['s1']],
    ['EXECUTE_ALL_MATCH', [], []],
  ] as const)('%s of %j executes %j', async (mode, branches, expected) =>
    expect(await taken(mode, ...branches)).toEqual(expected),
  );

  it('records what each branch came to, and its children beside it', async () => {
    const branches = [branch('{{one}}', when('{{trigger.x}}'), [codeStep('a')]), fallback([], 'two')];
    const { steps, records } = await walk([router('router', branches)], { trigger: { x: 1 } });

    expect(Object.keys(steps)).toEqual(['router', 'a']);
    expect(steps['router']).toMatchObject({
      type: 'ROUTER',
      output: {
        branches: [
          { branchName: '{{one}}', branchIndex: 1, evaluation: true },
          { branchName: 'two', branchIndex: 2, evaluation: false },
        ],
      },
    });
    expect(JSON.parse(records[0]?.input ?? '')).toEqual({
      branches: [
        {
          branchType: 'CONDITION',
          branchName: '{{one}}',
          conditions: [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: 1 }]],
        },
        { branchType: 'FALLBACK', branchName: 'two' },
      ],
    });
  });

  it('with an operator nobody knows fails', async () => {
    const conditions = JSON.parse('[[{"operator":"IS_NICE","firstValue":1}]]') as BranchCondition[][];
    const { outcome } = await walk([router('router', [branch('a', conditions)])]);

    expect(outcome).toMatchObject({ step: { name: 'router', message: 'There is no operator called IS_NICE.' } });
  });

  it('does not take over the failure of its child', async () => {
    const { outcome, steps } = await walk([router('router', [branch('a', yes, [codeStep('bad', {}, THROW)])])]);

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'bad' }, stepsCount: 2 });
    expect(steps).toMatchObject({ router: { status: 'SUCCEEDED' }, bad: { status: 'FAILED' } });
  });
});

describe('a loop', () => {
  it('counts itself once and its body once per iteration', async () => {
    const { outcome, steps, sink } = await walk([loop('l', ['a', 'b'], [codeStep('x'), codeStep('y')])]);

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 5 });
    expect(sink.counts).toEqual([1, 2, 3, 4, 5]);
    expect(steps['l']).toMatchObject({
      type: 'LOOP_ON_ITEMS',
      input: { items: ['a', 'b'] },
      output: {
        item: 'b',
        index: 2,
        iterations: [
          { x: {}, y: {} },
          { x: {}, y: {} },
        ],
      },
    });
  });

  it.each([
    ['no items', [], [codeStep('x')], { item: null, index: 0, iterations: [] }],
    ['an empty body', [1, 2], [], { item: 2, index: 2, iterations: [{}, {}] }],
    ['items that are null', [null], [], { item: null, index: 1, iterations: [{}] }],
  ])('with %s', async (_, items, body: FlowAction[], output) => {
    const { steps } = await walk([loop('l', items, body)]);

    expect(steps['l']).toMatchObject({ status: 'SUCCEEDED', output });
  });

  it.each([
    ['{{trigger.nothing}}', 'The items are not a list but empty.'],
    ['a, b', 'The items are not a list but text.'],
    [{ a: 1 }, 'The items are not a list but an object.'],
  ])('over %j fails', async (items, message) => {
    const { outcome, steps } = await walk([loop('l', items)], { trigger: {} });

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'l', message }, stepsCount: 1 });
    expect(steps['l']).toMatchObject({ status: 'FAILED', errorMessage: message });
  });

  it('in which a step fails is FAILED, and the failed step is the inner one', async () => {
    const bad = codeStep('bad', { n: '{{l.index}}' }, '({ n }) => { if (n === 2) throw new Error("two"); }');
    const { outcome, steps } = await walk([loop('l', [1, 2, 3], [bad])]);

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'bad', message: 'two' }, stepsCount: 3 });
    expect(steps['l']).toMatchObject({
      status: 'FAILED',
      errorMessage: 'The step "bad" failed in iteration 2.',
      output: { item: 2, index: 2, iterations: [{ bad: { status: 'SUCCEEDED' } }, { bad: { status: 'FAILED' } }] },
    });
  });

  it('in loops and routers keeps the path of every step', async () => {
    const inner = loop('inner', '{{outer.item}}', [
      router('r', [branch('odd', when('{{ inner.item % 2 }}'), [codeStep('odd')])]),
    ]);
    const { runner, outcome } = await walk([loop('outer', [[1, 2], [], [3]], [inner])]);

    expect(runner.executedPaths).toEqual(['outer[0].inner[0].odd', 'outer[2].inner[0].odd']);
    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 + 3 + 3 + 2 });
  });
});

describe('a piece step', () => {
  class NotingPieceRunner extends PieceRunner {
    constructor(private readonly sink: GatheringSink) {
      super();
    }
    async run(call: PieceCall): Promise<CodeOutcome> {
      this.sink.events.push(`effect ${call.run.stepKey} ${call.input}`);
      return { kind: 'value', output: '"sent"', logs: [] };
    }
  }

  it('fails with a sentence where pieces cannot run', async () => {
    const { outcome } = await walk([pieceStep('send')]);

    expect(outcome).toMatchObject({ step: { name: 'send', message: 'Actions of the piece "http" cannot run yet.' } });
  });

  it('happens between two barriers', async () => {
    const sink = new GatheringSink();
    const { steps } = await walk([codeStep('a'), pieceStep('send', { to: '{{run.id}}' }), codeStep('b')], {
      sink,
      pieceRunner: new NotingPieceRunner(sink),
    });

    expect(sink.events).toEqual(['a', 'durable', 'effect r1:send {"to":"r1"}', 'send', 'durable', 'b']);
    expect(steps['send']).toMatchObject({ type: 'ACTION', output: 'sent' });
  });

  it('is given its input as the author wrote it, too', async () => {
    const pieceRunner = new ScriptedPieceRunner();
    await walk([pieceStep('send', { to: '{{trigger.nobody}}' })], { pieceRunner });
    expect(pieceRunner.calls).toMatchObject([{ input: '{"to":""}', written: { to: '{{trigger.nobody}}' } }]);
  });

  it('needs no barrier when it is pure', async () => {
    const sink = new GatheringSink();
    const pieceRunner = new NotingPieceRunner(sink);
    pieceRunner.isPure = () => true;
    await walk([codeStep('a'), pieceStep('map')], { sink, pieceRunner });

    expect(sink.events).toEqual(['a', 'effect r1:map {}', 'map']);
  });

  it('does not happen when what came before cannot be made durable', async () => {
    const sink = new GatheringSink();
    sink.durable = () => Promise.reject(new Error('the claim has passed'));

    await expect(walk([pieceStep('send')], { sink, pieceRunner: new NotingPieceRunner(sink) })).rejects.toThrow(
      'claim',
    );
    expect(sink.events).toEqual([]);
  });
});

describe('limits', () => {
  it('step limit', async () => {
    const { outcome, records } = await walk([loop('l', [1, 2, 3], [codeStep('a')])], { limits: { stepsPerRun: 2 } });

    const message = 'The step limit is 2 per run, and this step is one more.';
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'a', message }, reason: message });
    expect(records.map(({ path, status }) => [path, status])).toEqual([
      ['l[0].a', 'SUCCEEDED'],
      ['l[1].a', 'SUCCEEDED'],
      ['l[2].a', 'FAILED'],
      ['l', 'FAILED'],
    ]);
  });

  it('iteration limit', async () => {
    const { outcome, runner } = await walk([loop('l', [1, 2, 3], [codeStep('a')])], {
      limits: { iterationsPerLoop: 2 },
    });

    const message = 'The iteration limit is 2 per loop, and the list has 3 items.';
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'l', message }, reason: message });
    expect(runner.calls).toEqual([]);
  });

  it('nesting limit, and 100 levels are within it', async () => {
    const nested = (levels: number): FlowAction =>
      levels === 0
        ? codeStep('core')
        : levels % 2
          ? loop(`l${levels}`, [1], [nested(levels - 1)])
          : router(`r${levels}`, [branch('b', yes, [nested(levels - 1)])]);

    expect((await walk([nested(100)])).outcome).toMatchObject({ kind: 'succeeded', stepsCount: 101 });
    expect((await walk([nested(101)])).outcome).toMatchObject({
      kind: 'failed',
      step: { name: 'l1', message: expect.stringContaining('nesting limit') as string },
    });
  });

  it('500 steps in a chain are none', async () => {
    const chain = Array.from({ length: 500 }, (_, index) =>
      codeStep(`s${index}`, { x: index === 0 ? 1 : `{{s${index - 1}.x}}` }),
    );

    expect((await walk(chain)).outcome).toMatchObject({ kind: 'succeeded', stepsCount: 500 });
  });

  it('data too deep to be written fails the step that touches it', async () => {
    const trigger = '['.repeat(20_000) + ']'.repeat(20_000);
    const outcome = await runFlow(
      compileFlowVersion(aFlowVersion([codeStep('step', { x: '{{trigger[0]}}' })])),
      { id: 'r', flowId: 'f', projectId: 'p', triggerOutput: trigger, recorded: [] },
      {
        codeRunner: new EvaluatingCodeRunner(),
        pieceRunner: null,
        sink: new GatheringSink(),
        clock: new HandClock(),
        limits: DEFAULT_EXECUTION_LIMITS,
      },
      new AbortController().signal,
    );

    expect(outcome).toMatchObject({
      kind: 'failed',
      step: { name: 'step', message: expect.stringContaining('nests too deeply') as string },
    });
  });
});

describe('an aborted run', () => {
  const abortedIn = async (path: string, reason: AbortReason, how: 'resolves' | 'rejects' | 'fails' = 'rejects') => {
    const controller = new AbortController();
    const runner = new EvaluatingCodeRunner();
    const run = runner.run.bind(runner);
    runner.run = async (call) => {
      if (!call.run.stepKey.endsWith(`:${path}`)) return run(call);
      controller.abort(reason);
      if (how === 'rejects') throw new Error('terminated');
      return how === 'fails' ? failed('terminated') : { kind: 'value', output: '1', logs: [] };
    };
    return walk([codeStep('a'), loop('l', [1, 2], [codeStep('b')]), codeStep('c')], {
      runner,
      signal: controller.signal,
    });
  };

  it.each(['timedOut', 'stopped'] as const)('ends as %s, with the step under way on record', async (reason) => {
    const { outcome, records } = await abortedIn('l[1].b', reason);

    expect(outcome).toMatchObject({ kind: reason, stepsCount: 2 });
    expect(records.map(({ path, status }) => [path, status])).toEqual([
      ['a', 'SUCCEEDED'],
      ['l[0].b', 'SUCCEEDED'],
      ['l[1].b', 'STOPPED'],
      ['l', 'STOPPED'],
    ]);
  });

  it.each(['claimLost', 'shutdown'] as const)('is only interrupted by %s', async (reason) => {
    const { outcome, records } = await abortedIn('l[1].b', reason, 'fails');

    expect(outcome).toMatchObject({ kind: 'interrupted' });
    expect(records.map(({ path }) => path)).toEqual(['a', 'l[0].b']);
  });

  it('keeps a result that came all the same', async () => {
    const { outcome, records } = await abortedIn('a', 'stopped', 'resolves');

    expect(outcome).toMatchObject({ kind: 'stopped', stepsCount: 1 });
    expect(records).toMatchObject([{ path: 'a', status: 'SUCCEEDED' }]);
  });

  it('does not wait for its next attempt', async () => {
    const controller = new AbortController();
    const clock = new HandClock();
    clock.whileSleeping = () => controller.abort('timedOut' satisfies AbortReason);
    const bad = codeStep('bad', {}, THROW, { errorHandlingOptions: { retryOnFailure: { value: true } } });
    const { outcome, runner } = await walk([bad], { clock, signal: controller.signal });

    expect(outcome).toMatchObject({ kind: 'timedOut', stepsCount: 0 });
    expect(runner.calls).toHaveLength(1);
  });
});

describe('runFlow', () => {
  it('never runs an empty trigger', async () => {
    const version = aFlowVersion([]);
    version.trigger = {
      name: 'trigger',
      displayName: 'Select Trigger',
      valid: false,
      type: 'EMPTY',
      settings: {},
      nextAction: codeStep('a'),
    };
    const sink = new GatheringSink();
    const outcome = await runFlow(
      compileFlowVersion(version),
      { id: 'r', flowId: 'f', projectId: 'p', triggerOutput: 'null', recorded: [] },
      {
        codeRunner: new EvaluatingCodeRunner(),
        pieceRunner: null,
        sink,
        clock: new HandClock(),
        limits: DEFAULT_EXECUTION_LIMITS,
      },
      new AbortController().signal,
    );

    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'trigger', message: 'The flow has no trigger.' } });
    expect(sink.records).toEqual([]);
  });

  it('rejects when a port does', async () => {
    const runner = new EvaluatingCodeRunner();
    runner.run = () => Promise.reject(new Error('no threads'));

    await expect(walk([codeStep('a')], { runner })).rejects.toThrow('no threads');
  });

  it('lets others go first when its own work has taken a while', async () => {
    const clock = new HandClock();
    clock.elapsedMs = () => (clock.ms += 1);
    await walk([loop('l', [1, 2, 3, 4, 5, 6, 7, 8], [codeStep('a')])], { clock });

    expect(clock.yields).toBeGreaterThan(3);
  });
});

function failed(message: string): CodeOutcome {
  return { kind: 'failed', message, logs: [] };
}
