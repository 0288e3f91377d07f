import type { AskedWait, FlowAction, RunEffects, StepRecord, StepWait, WaitEnding } from '@millrace/domain';
import { aChildRun, branch, codeStep, fallback, loop, pieceStep, router } from '@millrace/domain/testing';
import type { AbortReason } from './run/run-exit';
import type { PieceOutcome } from './ports/piece-runner';
import { asRecorded, HandClock, walk, type WalkOptions } from './testing/a-walk';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';
import { aTimer, atTime, WaitingPieceRunner } from './testing/waiting-piece-runner';

const WAIT = pieceStep('wait', { of: '{{ trigger }}' });
const ENDED = atTime('2026-01-02T00:00:00.000Z');
const RETRY = { errorHandlingOptions: { retryOnFailure: { value: true } } };
const always = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: true } as const]];

const waiting = (more: { wait?: Partial<AskedWait>; logs?: string[]; effects?: RunEffects } = {}): PieceOutcome => ({
  kind: 'waiting',
  logs: [],
  ...more,
  wait: { ...aTimer('r1:wait', 1), ...more.wait },
});
const failing = (message: string): PieceOutcome => ({ kind: 'failed', message, logs: [message] });
const both = (one: FlowAction[], other: FlowAction[]): FlowAction =>
  router('both', [branch('one', always, one), branch('other', always, other)], { executionType: 'EXECUTE_ALL_MATCH' });

/** Walks the run again after the first wait of each step in `paths` has ended. */
const afterwards = (steps: FlowAction[], before: StepRecord[], options: WalkOptions, paths = ['wait']) =>
  walk(steps, {
    recorded: asRecorded(before),
    waitEndings: new Map(paths.map((path) => [`r1:${path}#1`, ENDED])),
    ...options,
  });

describe('a step that waits', () => {
  it('is PAUSED, counts once, and lets the run pause', async () => {
    const { outcome, records } = await walk([codeStep('a'), WAIT, codeStep('after')], {
      trigger: 'x',
      pieceRunner: new WaitingPieceRunner(),
    });

    const wait = { requestId: 'r1:wait#1', kind: 'timer' as const };
    expect(outcome).toEqual({
      kind: 'paused',
      stepsCount: 2,
      tags: ['wait-0'],
      waits: [{ ...wait, stepPath: 'wait', until: new Date(60_000), request: null, child: null }],
    });
    expect(records.slice(1)).toEqual([
      {
        path: 'wait',
        type: 'ACTION',
        status: 'PAUSED',
        duration: 0,
        startedAfter: 0,
        input: '{"of":"x"}',
        logs: ['call 1'],
        effects: { tags: ['wait-0'] },
        wait: { ...wait, since: '1970-01-01T00:00:00.000Z', until: '1970-01-01T00:01:00.000Z', number: 1 },
      },
    ]);
  });

  it('goes on with how its wait ended, and keeps what was before', async () => {
    const steps = [WAIT, codeStep('after', { got: '{{ wait.ended.resumedAt }}' })];
    const before = await walk(steps, { trigger: 'x', pieceRunner: new WaitingPieceRunner() });
    const pieceRunner = new WaitingPieceRunner();
    const { outcome, records } = await afterwards(steps, before.records, { trigger: 'x', pieceRunner });

    expect(pieceRunner.calls).toMatchObject([{ input: '{"of":"x"}', resumed: ENDED, waits: 1 }]);
    expect(records).toMatchObject([
      { path: 'wait', status: 'SUCCEEDED', logs: ['call 1', 'call 2'], effects: { tags: ['wait-0', 'wait-1'] } },
      { path: 'after', output: '{"got":"2026-01-02T00:00:00.000Z"}' },
    ]);
    expect(records[0]).not.toHaveProperty('wait');
    expect(outcome).toEqual({ kind: 'succeeded', stepsCount: 2, tags: ['wait-0', 'wait-1'] });
  });

  it('may wait again, and each wait has its number', async () => {
    const pieceRunner = new WaitingPieceRunner({ wait: 2 });
    const first = await walk([WAIT], { pieceRunner });
    const second = await afterwards([WAIT], first.records, { pieceRunner });
    const records = [...first.records, ...second.records];
    const third = await walk([WAIT], {
      recorded: asRecorded(records),
      waitEndings: new Map([1, 2].map((number) => [`r1:wait#${number}`, ENDED])),
      pieceRunner,
    });

    expect(second.outcome).toMatchObject({ kind: 'paused', stepsCount: 1, waits: [{ requestId: 'r1:wait#2' }] });
    expect(records.map(({ wait }) => wait?.number)).toEqual([1, 2]);
    expect(pieceRunner.calls.map(({ waits }) => waits)).toEqual([undefined, 1, 2]);
    expect(third.outcome).toEqual({ kind: 'succeeded', stepsCount: 1, tags: ['wait-0', 'wait-1', 'wait-2'] });
    expect(third.records).toMatchObject([{ logs: ['call 1', 'call 2', 'call 3'] }]);
  });

  it.each<[string, Partial<AskedWait>, Partial<StepWait>]>([
    ['a timer', { kind: 'timer', until: new Date(5) }, { kind: 'timer', until: '1970-01-01T00:00:00.005Z' }],
    ['a person', { kind: 'human', until: null, request: { kind: 'approval' } }, { kind: 'human', number: 1 }],
    [
      'a child',
      { kind: 'child', until: null, child: aChildRun({ runId: 'r1' }, { id: 'c1' }) },
      { kind: 'child', childRunId: 'c1' },
    ],
  ])('for %s asks for the same again as long as that goes on, and is not called', async (_, asked, onRecord) => {
    const pieceRunner = new ScriptedPieceRunner({ wait: [waiting({ wait: asked })] });
    const before = await walk([WAIT], { pieceRunner });
    const again = await walk([WAIT], { pieceRunner, recorded: asRecorded(before.records) });

    expect(before.records).toMatchObject([{ wait: onRecord }]);
    expect(before.outcome).toMatchObject({ kind: 'paused', waits: [asked] });
    expect(again.outcome).toEqual(before.outcome);
    expect(again.records).toEqual([]);
    expect(pieceRunner.calls).toHaveLength(1);
  });

  it('tells a person the message and the name of the step', async () => {
    const request = { kind: 'approval', message: 'Is 40 too dear?' } as const;
    const pieceRunner = new ScriptedPieceRunner({ wait: [waiting({ wait: { kind: 'human', until: null, request } })] });

    const { outcome } = await walk([{ ...WAIT, displayName: 'Ask Ada' }], { pieceRunner });

    expect(outcome).toMatchObject({ waits: [{ request: { ...request, stepDisplayName: 'Ask Ada' } }] });
  });

  it('needs no barrier of its own: its pause is one', async () => {
    const { sink } = await walk([WAIT], { pieceRunner: new WaitingPieceRunner() });

    expect(sink.events).toEqual(['durable', 'wait']);
  });

  it.each<[AbortReason, string]>([
    ['stopped', 'stopped'],
    ['timedOut', 'timedOut'],
    ['shutdown', 'interrupted'],
    ['claimLost', 'interrupted'],
  ])('in a run aborted as %s leaves it %s', async (reason, kind) => {
    const controller = new AbortController();
    const pieceRunner = new WaitingPieceRunner();
    const run = pieceRunner.run.bind(pieceRunner);
    pieceRunner.run = (call) => {
      controller.abort(reason);
      return run(call);
    };
    const { outcome, records } = await walk([WAIT], { pieceRunner, signal: controller.signal });

    expect(outcome.kind).toBe(kind);
    expect(records).toMatchObject([{ status: 'PAUSED' }]);
  });

  it('has its secrets masked', async () => {
    const pieceRunner = new ScriptedPieceRunner({ wait: [waiting({ logs: ['asked with sesame-open'] })] });
    const { records } = await walk([pieceStep('wait', { auth: '{{ connections.crm }}' })], {
      pieceRunner,
      connections: { find: () => Promise.resolve(new Map([['crm', 'sesame-open']])) },
    });

    expect(records).toMatchObject([
      { status: 'PAUSED', input: '{"auth":"**REDACTED**"}', logs: ['asked with **REDACTED**'] },
    ]);
  });

  it('gives its response and its tags before it goes on', async () => {
    const response = { status: 202, headers: {}, body: null };
    const pieceRunner = new ScriptedPieceRunner({ wait: [waiting({ effects: { response, tags: ['asked'] } })] });

    expect((await walk([WAIT], { pieceRunner })).outcome).toMatchObject({ kind: 'paused', response, tags: ['asked'] });
  });

  it('pauses the test of it, and ends it', async () => {
    const steps = [codeStep('a'), loop('l', [1], [WAIT]), codeStep('b')];
    const only = { stepName: 'wait', samples: new Map<string, string>() };
    const before = await walk(steps, { only, pieceRunner: new WaitingPieceRunner() });
    const after = await afterwards(steps, before.records, { only, pieceRunner: new WaitingPieceRunner() });

    expect(before.outcome).toMatchObject({ kind: 'paused', stepsCount: 1, waits: [{ stepPath: 'wait' }] });
    expect(after.outcome).toMatchObject({ kind: 'succeeded', stepsCount: 1 });
    expect(after.records.map(({ path }) => path)).toEqual(['wait']);
  });

  it('knows how deep its run is below others', async () => {
    const pieceRunner = new WaitingPieceRunner();
    await walk([WAIT], { pieceRunner, depth: 3 });

    expect(pieceRunner.calls).toMatchObject([{ depth: 3 }]);
  });
});

describe('a step whose wait has ended', () => {
  const RETRIED = pieceStep('wait', {}, RETRY);
  const asked = () => waiting({ logs: ['asked'], effects: { tags: ['asked'] } });

  it('that fails is resumed again, and nothing else is repeated', async () => {
    const before = await walk([RETRIED], { pieceRunner: new ScriptedPieceRunner({ wait: [asked()] }) });
    const pieceRunner = new ScriptedPieceRunner({ wait: [failing('no'), { output: '1' }] });
    const after = await afterwards([RETRIED], before.records, { pieceRunner });

    expect(pieceRunner.calls.map(({ resumed }) => resumed)).toEqual([ENDED, ENDED]);
    expect(after.records).toMatchObject([
      {
        status: 'RUNNING',
        retryAt: '1970-01-01T00:00:02.000Z',
        wait: { requestId: 'r1:wait#1' },
        logs: ['asked', 'no'],
        effects: { tags: ['asked'] },
      },
      { status: 'SUCCEEDED', attempts: 2, output: '1', logs: ['asked'], effects: { tags: ['asked'] } },
    ]);

    for (const cut of [0, 1]) {
      const pieceRunner = new ScriptedPieceRunner({ wait: [failing('no'), { output: '1' }].slice(cut) });
      const onRecord = [...before.records, ...after.records.slice(0, cut)];
      const again = await afterwards([RETRIED], onRecord, { pieceRunner });

      expect(again.records).toEqual(after.records.slice(cut));
      expect(again.outcome).toEqual(after.outcome);
    }
  });

  it('that fails in all attempts fails with what was before its wait', async () => {
    const before = await walk([RETRIED], { pieceRunner: new ScriptedPieceRunner({ wait: [asked()] }) });
    const after = await afterwards([RETRIED], before.records, {
      pieceRunner: new ScriptedPieceRunner({ wait: [failing('no')] }),
    });

    expect(after.outcome).toMatchObject({ kind: 'failed', step: { message: 'no' }, stepsCount: 1, tags: ['asked'] });
    expect(after.records.at(-1)).toMatchObject({ status: 'FAILED', attempts: 4, logs: ['asked', 'no'] });
  });

  it('that continues on failure is FAILED, and the flow goes on', async () => {
    const steps = [
      pieceStep('wait', {}, { errorHandlingOptions: { continueOnFailure: { value: true } } }),
      codeStep('after'),
    ];
    const before = await walk(steps, { pieceRunner: new ScriptedPieceRunner({ wait: [asked()] }) });
    const after = await afterwards(steps, before.records, {
      pieceRunner: new ScriptedPieceRunner({ wait: [failing('no')] }),
    });

    expect(after.outcome).toMatchObject({ kind: 'succeeded', stepsCount: 2 });
    expect(after.records).toMatchObject([{ path: 'wait', status: 'FAILED' }, { path: 'after' }]);
  });

  it('adds the time after the wait to the time before it', async () => {
    const clock = new HandClock();
    const pieceRunner = new WaitingPieceRunner();
    const run = pieceRunner.run.bind(pieceRunner);
    pieceRunner.run = (call) => {
      clock.ms += 30;
      return run(call);
    };
    const before = await walk([WAIT], { pieceRunner, clock });
    clock.ms += 5_000;

    expect((await afterwards([WAIT], before.records, { pieceRunner, clock })).records).toMatchObject([
      { duration: 60 },
    ]);
  });
});

describe('a request that a step opened', () => {
  const opening = (...opens: [requestId: string, kind: 'approval' | 'webhook'][]) => ({
    effects: { opens: opens.map(([requestId, kind]) => ({ requestId, request: { kind } })) },
  });

  it('is for a later step of the same kind: the latest that none has waited for, after a crash too', async () => {
    const pieceRunner = new ScriptedPieceRunner({
      links: [opening(['a1', 'approval'], ['w1', 'webhook'], ['a2', 'approval'])],
      ask: [waiting({ wait: { requestId: 'a2', kind: 'human', until: null, request: { kind: 'approval' } } })],
    });
    const steps = [pieceStep('links'), both([pieceStep('ask')], [pieceStep('other')])];
    const { records } = await walk(steps, { pieceRunner });
    const [, ask, other] = pieceRunner.calls;

    expect(ask?.openRequestId?.('webhook')).toBe('w1');
    expect(other?.openRequestId?.('approval')).toBe('a1');
    expect(other?.openRequestId?.('form')).toBeNull();

    const recorded = asRecorded(records.slice(0, -1));
    await walk(steps, { pieceRunner, recorded });
    expect(pieceRunner.calls.at(-1)?.openRequestId?.('approval')).toBe('a1');

    const ended: [string, WaitEnding][] = [['a2', { kind: 'human', answer: { approved: true } }]];
    await walk([...steps, pieceStep('last')], { pieceRunner, recorded, waitEndings: new Map(ended) });
    const { openRequestId } = pieceRunner.calls.at(-1) ?? {};
    expect(openRequestId?.('approval')).toBe('a1');
  });
});

describe('a run in which a step waits', () => {
  const paths = ({ records }: { records: StepRecord[] }) => records.map(({ path, status }) => `${path} ${status}`);
  const pausing = () => new WaitingPieceRunner();

  it('goes on in the other branches of a router that takes all matches, and not after it', async () => {
    const steps = [both([WAIT, codeStep('a')], [codeStep('b'), pieceStep('c')]), codeStep('after')];
    const { outcome, ...rest } = await walk(steps, { pieceRunner: pausing() });

    expect(paths(rest)).toEqual(['both SUCCEEDED', 'wait PAUSED', 'b SUCCEEDED', 'c PAUSED']);
    expect(outcome).toMatchObject({ kind: 'paused', stepsCount: 4, waits: [{ stepPath: 'wait' }, { stepPath: 'c' }] });
  });

  it('has the wait on record before an effect in another branch', async () => {
    const steps = [both([WAIT], [pieceStep('send')])];
    const { sink } = await walk(steps, { pieceRunner: new WaitingPieceRunner({ send: 0 }) });

    expect(sink.events).toEqual(['both', 'durable', 'wait', 'durable', 'send', 'durable']);
  });

  it('takes no other branch of a router that takes the first match', async () => {
    const steps = [router('first', [branch('one', always, [WAIT]), fallback([codeStep('b')])]), codeStep('after')];

    expect(paths(await walk(steps, { pieceRunner: pausing() }))).toEqual(['first SUCCEEDED', 'wait PAUSED']);
  });

  it('begins no other iteration, and has its loops on record with their items', async () => {
    const body = [loop('inner', '{{ outer.item }}', [WAIT])];
    const walked = await walk([loop('outer', '{{ trigger }}', body), codeStep('after')], {
      trigger: [['a', 'b'], ['c']],
      pieceRunner: pausing(),
    });

    expect(paths(walked)).toEqual(['outer[0].inner[0].wait PAUSED', 'outer[0].inner RUNNING', 'outer RUNNING']);
    expect(walked.outcome).toMatchObject({ stepsCount: 1, waits: [{ stepPath: 'outer[0].inner[0].wait' }] });
    expect(walked.steps['outer']).toMatchObject({ input: { items: [['a', 'b'], ['c']] }, output: { index: 1 } });
  });

  it('goes on with the items that its loop began with', async () => {
    const steps = [loop('l', '{{ trigger }}', [WAIT])];
    const { records } = await walk(steps, { trigger: ['a', 'b'], pieceRunner: pausing() });
    const after = await afterwards(steps, records, { trigger: ['other'], pieceRunner: pausing() }, ['l[0].wait']);

    expect(after.outcome).toMatchObject({ waits: [{ stepPath: 'l[1].wait' }] });
    expect(paths(after)).toEqual(['l[0].wait SUCCEEDED', 'l[1].wait PAUSED']);
  });

  it.each<[string, FlowAction[], object]>([
    ['fails when another branch does', [codeStep('bad', {}, '() => { throw new Error("no"); }')], { kind: 'failed' }],
    ['succeeds when another branch ends it', [pieceStep('stop')], { kind: 'succeeded' }],
  ])('%s', async (_, other, expected) => {
    const pieceRunner = new ScriptedPieceRunner({
      wait: [waiting()],
      stop: [{ effects: { stop: { status: 'SUCCEEDED' } } }],
    });

    expect((await walk([both([WAIT], other)], { pieceRunner })).outcome).toMatchObject(expected);
    expect((await walk([both(other, [WAIT])], { pieceRunner })).outcome).toMatchObject(expected);
  });
});
