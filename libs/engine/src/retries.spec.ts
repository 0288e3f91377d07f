import type { FlowAction } from '@millrace/domain';
import { branch, codeStep, loop, pieceStep, RecordingSlot, router } from '@millrace/domain/testing';
import type { AbortReason, RunPaused } from './run/run-exit';
import { asRecorded, GatheringSink, HandClock, walk } from './testing/a-walk';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { ScriptedPieceRunner, type Answer } from './testing/scripted-piece-runner';
import { atTime, aTimer } from './testing/waiting-piece-runner';

const MOMENT = '2026-01-02T00:00:00.000Z';
const RETRY = { errorHandlingOptions: { retryOnFailure: { value: true } } };
const BAD = codeStep('bad', { x: 1 }, '() => { throw new Error("no luck"); }', RETRY);
const no = (retryAfterMs?: number) => ({
  kind: 'failed' as const,
  message: 'no',
  logs: ['tried'],
  ...(retryAfterMs && { retryAfterMs }),
});

describe('a step that is tried again', () => {
  it('is on record as RUNNING, durably, before each wait', async () => {
    const { records, sink } = await walk([BAD]);

    expect(records).toMatchObject([
      { status: 'RUNNING', errorMessage: 'no luck', input: '{"x":1}', retryAt: '1970-01-01T00:00:02.000Z' },
      { status: 'RUNNING', attempts: 2, retryAt: '1970-01-01T00:00:06.000Z' },
      { status: 'RUNNING', attempts: 3, retryAt: '1970-01-01T00:00:14.000Z' },
      { status: 'FAILED', attempts: 4 },
    ]);
    expect(records[3]).not.toHaveProperty('retryAt');
    expect(sink.events).toEqual(['bad', 'durable', 'bad', 'durable', 'bad', 'durable', 'bad']);
  });

  it('after a crash in a wait goes on with the attempt that was due, when it was due', async () => {
    const whole = await walk([loop('l', [1], [BAD])]);
    const [waiting] = asRecorded(whole.records.slice(1, 2));
    const clock = new HandClock();
    clock.ms = 5_000;
    const { records, runner, outcome } = await walk([loop('l', [1], [BAD])], { recorded: [waiting!], clock });

    expect(clock.sleeps).toEqual([1_000, 8_000]);
    expect(runner.executedPaths).toEqual(['l[0].bad', 'l[0].bad']);
    expect(records.find(({ status }) => status === 'FAILED')).toMatchObject({ attempts: 4 });
    expect(outcome).toEqual(whole.outcome);
  });

  it.each([
    ['in the past is not waited for', '1969-01-01T00:00:00.000Z', []],
    ['by a clock far ahead is waited for ten seconds', '2026-01-01T00:00:00.000Z', [10_000]],
  ])('a time %s', async (_, retryAt, sleeps) => {
    const [waiting] = asRecorded((await walk([BAD])).records.slice(2, 3));
    const { clock } = await walk([BAD], { recorded: [{ ...waiting!, retryAt }] });

    expect(clock.sleeps).toEqual(sleeps);
  });

  it.each([
    ['waits as long as the other side asks', [no(9_000)], [9_000, 9_000, 9_000]],
    ['waits no shorter than without being asked', [no(100)], [2_000, 4_000, 8_000]],
    ['ends with success', [no(), {}], [2_000]],
  ])('%s', async (_, answers, sleeps) => {
    const pieceRunner = new ScriptedPieceRunner({ send: answers });
    const { clock } = await walk([pieceStep('send', {}, RETRY)], { pieceRunner });

    expect(clock.sleeps).toEqual(sleeps);
    expect(new Set(pieceRunner.calls.map(({ run }) => run.stepKey))).toEqual(new Set(['r1:send']));
  });

  it('is on record as STOPPED when the run is stopped in a wait, and RUNNING when it is only interrupted', async () => {
    const statuses = async (reason: AbortReason) => {
      const controller = new AbortController();
      const clock = new HandClock();
      clock.whileSleeping = () => controller.abort(reason);
      const { records } = await walk([BAD], { clock, signal: controller.signal });
      return records.map(({ status }) => status);
    };

    expect(await statuses('stopped')).toEqual(['RUNNING', 'STOPPED']);
    expect(await statuses('shutdown')).toEqual(['RUNNING']);
  });

  it('has only the effects of its last attempt', async () => {
    const pieceRunner = new ScriptedPieceRunner({
      send: [{ ...no(), effects: { tags: ['first'] } }, { effects: { tags: ['second'] } }],
    });
    const { outcome, records } = await walk([pieceStep('send', {}, RETRY)], { pieceRunner });

    expect(outcome).toMatchObject({ kind: 'succeeded', tags: ['second'] });
    expect(records.map(({ effects }) => effects)).toEqual([undefined, { tags: ['second'] }]);
  });

  it('leaves the slot of its run while it waits, and not while it executes', async () => {
    const slot = new RecordingSlot();
    const runner = new EvaluatingCodeRunner();
    const clock = new HandClock();
    clock.whileSleeping = () => void slot.events.push(`slept ${clock.sleeps.at(-1)}`);
    runner.beforeCode = () => void slot.events.push('tries');
    await walk([BAD], { slot, clock, runner });

    const between = (ms: number) => ['left', `slept ${ms}`, 'came back', 'tries'];
    expect(slot.events).toEqual(['tries', ...between(2_000), ...between(4_000), ...between(8_000)]);
  });

  it('does not wait when the wait cannot be made durable', async () => {
    const sink = new GatheringSink();
    sink.durable = () => Promise.reject(new Error('no database'));
    const clock = new HandClock();

    await expect(walk([BAD], { sink, clock })).rejects.toThrow('no database');
    expect(clock.sleeps).toEqual([]);
  });
});

describe('a step whose next attempt is more than ten seconds away', () => {
  const SEND = pieceStep('send', {}, RETRY);

  /**
   * Walks the run `walks` times. Each walk begins with the records of the walks before it, and their timers have ended.
   */
  async function walkOn(steps: FlowAction[], answers: Answer[], walks: number) {
    const pieceRunner = new ScriptedPieceRunner({ send: answers });
    const sink = new GatheringSink();
    const clock = new HandClock();
    const paused: RunPaused[] = [];
    let last = await walk(steps, { pieceRunner, sink, clock });
    for (let n = 1; n < walks; n++) {
      if (last.outcome.kind === 'paused') paused.push(last.outcome);
      const waitEndings = new Map(
        paused.flatMap(({ waits }) => waits.map(({ requestId }) => [requestId, atTime(MOMENT)] as const)),
      );
      last = await walk(steps, { pieceRunner, sink, clock, waitEndings, recorded: asRecorded(sink.records) });
    }
    return { ...last, paused, pieceRunner };
  }

  it('pauses the run until then, as long as the other side asks and a minute at most', async () => {
    const { paused, outcome, clock, records } = await walkOn([SEND], [no(30_000), no(3_600_000), no(11_000)], 4);

    expect(paused.map(({ waits }) => waits)).toEqual([
      [expect.objectContaining({ stepPath: 'send', kind: 'timer', until: new Date(30_000) })],
      [expect.objectContaining({ until: new Date(60_000) })],
      [expect.objectContaining({ until: new Date(11_000) })],
    ]);
    expect(new Set(paused.flatMap(({ waits }) => waits.map(({ requestId }) => requestId))).size).toBe(3);
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(records.map(({ status, attempts, retryAt }) => [status, attempts, retryAt])).toEqual([
      ['PAUSED', undefined, '1970-01-01T00:00:30.000Z'],
      ['PAUSED', 2, '1970-01-01T00:01:00.000Z'],
      ['PAUSED', 3, '1970-01-01T00:00:11.000Z'],
      ['FAILED', 4, undefined],
    ]);
    expect(clock.sleeps).toEqual([]);
  });

  it.each([
    ['code', codeStep('send', {}, '() => { throw new Error("no"); }', RETRY)],
    ['a piece', SEND],
  ])('tries nothing while the timer goes on: %s', async (_, step) => {
    const limits = { retryBaseMs: 11_000 };
    const pieceRunner = new ScriptedPieceRunner({ send: [no()] });
    const first = await walk([step], { limits, pieceRunner });
    const again = await walk([step], { limits, pieceRunner, recorded: asRecorded(first.records) });

    expect(again.outcome).toEqual(first.outcome);
    expect(again.records).toEqual([]);
    expect(pieceRunner.calls.length + first.runner.executedPaths.length).toBe(1);
    expect(again.runner.executedPaths).toEqual([]);
  });

  it('lets the other branches of a router go on', async () => {
    const always = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: true } as const]];
    const branches = [branch('one', always, [SEND]), branch('two', always, [codeStep('other')])];
    const { outcome, records } = await walkOn(
      [router('all', branches, { executionType: 'EXECUTE_ALL_MATCH' })],
      [no(30_000), {}],
      2,
    );

    expect(outcome).toMatchObject({ kind: 'succeeded', stepsCount: 3 });
    expect(records.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'all SUCCEEDED',
      'send PAUSED',
      'other SUCCEEDED',
      'send SUCCEEDED',
    ]);
  });

  it('goes on with the wait that it had before its attempts', async () => {
    const timer = {
      kind: 'waiting' as const,
      wait: aTimer('r1:send', 1),
      logs: ['asked'],
      effects: { tags: ['asked'] },
    };
    const { pieceRunner, records, outcome } = await walkOn([SEND], [timer, no(30_000), {}], 3);

    expect(pieceRunner.calls.map(({ resumed, waits }) => [resumed?.kind, waits])).toEqual([
      [undefined, undefined],
      ['timer', 1],
      ['timer', 1],
    ]);
    expect(records.map(({ status, logs }) => [status, logs])).toEqual([
      ['PAUSED', ['asked']],
      ['PAUSED', ['asked', 'tried']],
      ['SUCCEEDED', ['asked']],
    ]);
    expect(outcome).toMatchObject({ kind: 'succeeded', tags: ['asked'] });
  });

  it('has only the effects of its last attempt', async () => {
    const { outcome } = await walkOn(
      [SEND],
      [{ ...no(30_000), effects: { tags: ['a'] } }, { effects: { tags: ['b'] } }],
      2,
    );

    expect(outcome).toMatchObject({ kind: 'succeeded', tags: ['b'] });
  });
});

describe('a step that is tried once', () => {
  it('asks for no barrier', async () => {
    const { sink } = await walk([codeStep('a', {}, '() => { throw new Error("no"); }')], {
      runner: new EvaluatingCodeRunner(),
    });

    expect(sink.events).toEqual(['a']);
  });
});
