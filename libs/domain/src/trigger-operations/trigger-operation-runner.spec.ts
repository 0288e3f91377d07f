import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import type { CatalogueTrigger, PieceCatalogue } from '../pieces/piece-catalogue';
import { builtInTrigger } from '../testing/a-flow-version';
import { aFlowVersion } from '../testing/a-flow-version';
import type { LiveTrigger } from '../flows/trigger-registry';
import type { StoreWrite } from '../store/store-writes';
import { TriggerHooks, type AppListener, type TriggerHookCall, type TriggerHookResult } from './trigger-hooks';
import {
  MOST_OPERATION_ATTEMPTS,
  OPERATION_CLAIM_MS,
  type ClaimedOperation,
  type OperationEnding,
  type TriggerOperations,
} from '../flows/trigger-operation';
import { TriggerOperationRunner } from './trigger-operation-runner';

const live = (flowVersionId: string, triggerName = 'hooked'): LiveTrigger => ({
  flowId: 'flow_1',
  projectId: 'project_1',
  flowVersionId,
  trigger: aFlowVersion([], { trigger: builtInTrigger('test', triggerName) }).trigger,
});

/** The trigger `gone` is unknown, `plain` has no hooks, and `polled` has nothing at another service. */
const PIECES = {
  know: async () => undefined,
  findTrigger: (_piece: string, _version: string, triggerName: string) =>
    triggerName === 'gone'
      ? null
      : ({
          displayName: 'New order',
          resultType: triggerName === 'polled' ? 'POLLING' : 'WEBHOOK',
          hooks: triggerName === 'plain' ? [] : ['onEnable', 'onDisable', 'test'],
        } as unknown as CatalogueTrigger),
} as unknown as PieceCatalogue;

/** Answers each hook of a version as the test says, and with success otherwise. */
class ScriptedHooks extends TriggerHooks {
  readonly calls: string[] = [];
  readonly pending: (readonly StoreWrite[])[] = [];
  listeners: readonly AppListener[] = [];
  readonly answers = new Map<string, (signal: AbortSignal) => Promise<TriggerHookResult>>();

  fails(call: string): void {
    this.answers.set(call, async () => ({ kind: 'failed', message: `${call} failed.` }));
  }

  override call(
    { hook, live: { flowVersionId }, isRepublish }: TriggerHookCall,
    pending: readonly StoreWrite[],
    signal: AbortSignal,
  ): Promise<TriggerHookResult> {
    const call = `${hook} ${flowVersionId}`;
    this.calls.push(isRepublish ? `${call} again` : call);
    this.pending.push(pending);
    const writes: StoreWrite[] = [
      { scope: 'FLOW', key: 'webhook', value: hook === 'onDisable' ? null : flowVersionId },
    ];
    return (
      this.answers.get(call)?.(signal) ??
      Promise.resolve({ kind: 'done', value: [1], effects: { writes, listeners: this.listeners } })
    );
  }
}

function setUp(given: Partial<ClaimedOperation>, hookTimeoutMs?: number, now?: () => number) {
  const operation: ClaimedOperation = {
    id: 'operation_1',
    flowId: 'flow_1',
    projectId: 'project_1',
    kind: 'ENABLING',
    off: [],
    on: null,
    restore: null,
    epoch: 1,
    attempt: 1,
    ...given,
  };
  const settled: OperationEnding[] = [];
  const settle = jest.fn(async (_operation: ClaimedOperation, ending: OperationEnding) => void settled.push(ending));
  const operations = {
    claim: async (_id: string, epoch: number) => (epoch === operation.epoch ? operation : null),
    settle,
  } as unknown as TriggerOperations;
  const hooks = new ScriptedHooks();
  const runner = new TriggerOperationRunner(operations, hooks, PIECES, hookTimeoutMs, now, () => 0);
  const perform = async (signal = new AbortController().signal): Promise<OperationEnding> => {
    await runner.perform('operation_1', 1, signal);
    return settled[0]!;
  };
  return { hooks, perform, runner, settled, settle };
}

const written = (value: unknown): StoreWrite[] => [{ scope: 'FLOW', key: 'webhook', value }];

describe('an operation that enables', () => {
  it('calls onEnable, and keeps what it has written', async () => {
    const { hooks, perform } = setUp({ on: live('new') });

    expect(await perform()).toEqual({ kind: 'succeeded', writes: written('new') });
    expect(hooks.calls).toEqual(['onEnable new']);
  });

  it('disables the version before first, whose writes the new one sees', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });

    expect(await perform()).toEqual({ kind: 'succeeded', writes: written('new'), listening: [] });
    expect(hooks.calls).toEqual(['onDisable old again', 'onEnable new again']);
    expect(hooks.pending[1]).toEqual(written(null));
  });

  it('listens to the events of apps that onEnable names, and of the version before to none, even if it fails', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });
    hooks.fails('onDisable old');
    hooks.listeners = [{ events: ['message', 'reaction'], identifierValue: 'T1' }];

    const listening = ['message', 'reaction'].map((event) => ({ pieceName: 'test', event, identifierValue: 'T1' }));
    expect(await perform()).toMatchObject({ kind: 'succeeded', listening });
  });

  it('listens to the events of no app any more when the new version names none', async () => {
    const { perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });

    expect(await perform()).toMatchObject({ kind: 'succeeded', listening: [] });
  });

  it('goes on when the version before cannot be disabled, and leaves that to be done later', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });
    hooks.fails('onDisable old');

    expect(await perform()).toEqual({
      kind: 'succeeded',
      writes: written('new'),
      listening: [],
      left: {
        off: [{ ...live('old'), kept: [] }],
        problem:
          'The trigger "New order" that the flow had before could not be disabled: onDisable old failed. ' +
          'The service of test still has its webhook, so its events may start runs as well.',
      },
    });
  });

  it('does not wait for a trigger that was left before', async () => {
    const left = { ...live('older'), kept: written('older') };
    const { hooks, perform } = setUp({ off: [left, live('old')], on: live('new'), restore: live('old') });

    expect(await perform()).toMatchObject({ kind: 'succeeded', left: { off: [left] } });
    expect(hooks.calls).toEqual(['onDisable old again', 'onEnable new again']);
  });

  it('leaves what could not be disabled when it fails, too, so that the next enabling disables it first', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new') });
    hooks.fails('onDisable old');
    hooks.fails('onEnable new');

    expect(await perform()).toMatchObject({
      kind: 'failed',
      problem: 'onEnable new failed.',
      left: { off: [live('old')] },
    });
  });

  it('leaves the version before, which listens again, to be disabled where it listened first', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });
    hooks.fails('onDisable old');
    hooks.fails('onEnable new');

    expect(await perform()).toMatchObject({
      kind: 'failed',
      listens: true,
      left: { off: [{ ...live('old'), kept: [] }] },
    });
  });

  it('does not spend the time of the new one on several that do not answer', async () => {
    let now = 0;
    const off = ['a', 'b', 'c'].map((version) => live(version));
    const { hooks, perform } = setUp({ off, on: live('new'), restore: live('c') }, undefined, () => now);
    hooks.answers.set('onDisable a', async () => {
      now += 20_000;
      return { kind: 'failed', message: 'No answer.' };
    });

    expect(await perform()).toMatchObject({
      kind: 'succeeded',
      left: { off: ['b', 'c', 'a'].map((version) => ({ ...live(version), kept: [] })) },
    });
    expect(hooks.calls).toEqual(['onDisable a again', 'onEnable new again']);
  });

  it('ends before its claim does, also when each hook takes as long as it may', async () => {
    let now = 0;
    const off = ['a', 'b', 'c'].map((version) => live(version));
    const { hooks, perform } = setUp({ off, on: live('new'), restore: live('c') }, undefined, () => now);
    const takes = (call: string, ms: number) =>
      hooks.answers.set(call, async () => {
        now += ms;
        return { kind: 'failed', message: 'No answer.' };
      });
    takes('onDisable a', 19_000);
    for (const call of ['onDisable b', 'onEnable new', 'onEnable c']) takes(call, 20_000);

    await perform();

    expect(hooks.calls).toEqual(
      ['onDisable a', 'onDisable b', 'onEnable new', 'onEnable c'].map((call) => `${call} again`),
    );
    expect(now).toBeLessThan(OPERATION_CLAIM_MS - 10_000);
  });

  it('fails with the reason of the hook', async () => {
    const { hooks, perform } = setUp({ on: live('new') });
    hooks.fails('onEnable new');

    expect(await perform()).toEqual({ kind: 'failed', writes: [], problem: 'onEnable new failed.', listens: false });
  });

  it('lets the version before listen again when the new one fails', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });
    hooks.fails('onEnable new');

    expect(await perform()).toMatchObject({ kind: 'failed', listens: true, writes: written('old') });
    expect(hooks.calls.at(-1)).toBe('onEnable old again');
  });

  it('says that nothing listens when the version before fails too', async () => {
    const { hooks, perform } = setUp({ off: [live('old')], on: live('new'), restore: live('old') });
    hooks.fails('onEnable old');
    hooks.answers.set('onEnable new', async () => ({ kind: 'failed', message: 'It answered 422: {"error":"no"}' }));

    expect(await perform()).toMatchObject({
      kind: 'failed',
      listens: false,
      problem:
        'It answered 422: {"error":"no"}. The flow is disabled now, because its former trigger could not be enabled ' +
        'again either: onEnable old failed.',
    });
  });

  it('fails when the hook does not answer in time', async () => {
    const { hooks, perform } = setUp({ on: live('new') }, 5);
    hooks.answers.set('onEnable new', rejectedByAbort);

    expect(await perform()).toMatchObject({ problem: 'The trigger did not answer within 0.005 s.' });
  });

  it('settles nothing when the worker stops, so that another one performs it', async () => {
    const { hooks, perform, settled } = setUp({ on: live('new') });
    hooks.answers.set('onEnable new', rejectedByAbort);
    const stopping = new AbortController();

    const performed = perform(stopping.signal);
    stopping.abort(new Error('The worker stops.'));

    await expect(performed).rejects.toThrow('The worker stops.');
    expect(settled).toEqual([]);
  });
});

describe('an operation that disables', () => {
  it('is tried again, later each time, until it is given up', async () => {
    const failing = (attempt: number) => {
      const subject = setUp({ kind: 'DISABLING', off: [live('old'), live('older')], attempt });
      subject.hooks.fails('onDisable old');
      return subject.perform();
    };
    const problem = 'The trigger could not be disabled: onDisable old failed.';

    expect(await failing(1)).toEqual({
      kind: 'retry',
      afterMs: 5_000,
      writes: written(null),
      next: { off: [live('old')], on: null, restore: null },
      problem,
      listening: [],
    });
    expect(await failing(3)).toMatchObject({ kind: 'retry', afterMs: 80_000 });
    expect(await failing(20)).toMatchObject({ kind: 'retry', afterMs: 3_600_000 });
    const given =
      'This is not tried any more. The service of test still has its webhook, so it may go on sending events';
    expect(await failing(MOST_OPERATION_ATTEMPTS)).toMatchObject({
      kind: 'failed',
      problem: `${problem} ${given} until its webhook is removed there by hand.`,
      listens: true,
    });
  });

  describe('with hooks that do not answer', () => {
    const off = ['a', 'b', 'c', 'd'].map((version) => live(version));

    function slowly(given: Partial<ClaimedOperation>) {
      let now = 0;
      const subject = setUp({ kind: 'DISABLING', off, ...given }, undefined, () => now);
      for (const version of ['a', 'b', 'c']) {
        subject.hooks.answers.set(`onDisable ${version}`, async () => {
          now += 20_000;
          return { kind: 'failed', message: 'No answer.' };
        });
      }
      return { ...subject, elapsed: () => now };
    }

    it('calls as many as it can settle in time, and the others first in its next attempt', async () => {
      const { hooks, perform, elapsed } = slowly({});

      expect(await perform()).toMatchObject({
        kind: 'retry',
        next: { off: ['c', 'd', 'a', 'b'].map((version) => live(version)) },
      });
      expect(hooks.calls).toEqual(['onDisable a', 'onDisable b']);
      expect(elapsed()).toBeLessThan(60_000);
    });

    it('keeps time for the trigger that listens again', async () => {
      const { hooks, perform } = slowly({ on: live('old') });

      expect(await perform()).toMatchObject({ kind: 'retry', next: { on: null, restore: live('old') } });
      expect(hooks.calls).toEqual(['onDisable a', 'onEnable old']);
    });

    it('ends in its last attempt, in which the trigger listens again', async () => {
      const { hooks, perform, elapsed } = slowly({ on: live('old'), attempt: MOST_OPERATION_ATTEMPTS });

      expect(await perform()).toMatchObject({ kind: 'failed', listens: true });
      expect(hooks.calls).toEqual(['onDisable a', 'onEnable old']);
      expect(elapsed()).toBeLessThan(60_000);
    });
  });

  it('is tried again while the package of the trigger is not installed, because something may have to be taken back', async () => {
    const { perform, hooks } = setUp({ kind: 'DISABLING', off: [live('v1', 'gone')] });

    expect(await perform()).toMatchObject({
      kind: 'retry',
      next: { off: [{ flowVersionId: 'v1' }] },
      problem: expect.stringMatching(/could not be disabled: The piece test .* is not installed\.$/),
      listening: [],
    });
    expect(hooks.calls).toEqual([]);
  });

  it('calls no hook that the trigger does not have', async () => {
    const { hooks, perform } = setUp({ kind: 'DISABLING', off: [live('old', 'plain')] });

    expect(await perform()).toEqual({ kind: 'succeeded', writes: [] });
    expect(hooks.calls).toEqual([]);
  });
});

describe('an operation that disables what was left when another trigger was enabled', () => {
  const left = { ...live('old', 'polled'), kept: written('of the old') };
  const given = (more: Partial<ClaimedOperation> = {}) =>
    setUp({ kind: 'DISABLING', off: [left], restore: live('new'), attempt: 2, ...more });

  it('shows each trigger what the store had for it, and leaves alone what the other one has written', async () => {
    const { hooks, perform } = given();

    expect(await perform()).toMatchObject({
      kind: 'retry',
      afterMs: 0,
      writes: [],
      problem: null,
      next: registeredAnew(),
    });
    expect(hooks.calls).toEqual(['onDisable old again']);
    expect(hooks.pending).toEqual([written('of the old')]);
  });

  it('is tried again while the other one listens, and is given up with a sentence that says what may happen', async () => {
    const failing = (attempt: number) => {
      const subject = given({ off: [{ ...live('old'), kept: [] }], attempt });
      subject.hooks.fails('onDisable old');
      return subject.perform();
    };
    const problem = 'The trigger "New order" that the flow had before could not be disabled: onDisable old failed. ';

    const retried = await failing(2);
    expect(retried).toMatchObject({ kind: 'retry', afterMs: 20_000, next: { off: [live('old')], on: null } });
    expect(retried.listening).toBeUndefined();
    expect(await failing(MOST_OPERATION_ATTEMPTS)).toEqual({
      kind: 'failed',
      listens: true,
      writes: [],
      problem:
        `${problem}This is not tried any more. The service of test still has its webhook, so its events may start ` +
        'runs as well until its webhook is removed there by hand.',
    });
  });

  it('registers the other one anew when it is of the same service, which may have one webhook per URL', async () => {
    const { hooks, perform } = setUp({ kind: 'DISABLING', ...registeredAnew() });

    expect(await perform()).toMatchObject({ kind: 'succeeded', writes: written('new') });
    expect(hooks.calls).toEqual(['onDisable new again', 'onEnable new again']);
  });

  it('registers it anew with attempts of its own, so that one failure does not disable the flow', async () => {
    const begun = await given({ attempt: MOST_OPERATION_ATTEMPTS }).perform();
    const subject = setUp({ kind: 'DISABLING', ...registeredAnew(), attempt: 1 });
    subject.hooks.fails('onEnable new');

    expect(begun).toMatchObject({ kind: 'retry', afterMs: 0, next: registeredAnew(), startsOver: true });
    expect(await subject.perform()).toMatchObject({
      kind: 'retry',
      afterMs: 5_000,
      next: { off: [], on: live('new') },
    });
  });

  it('registers it anew for an earlier registration of its own too, but not for ever', async () => {
    const again = { ...live('new'), kept: written('earlier') };
    const half = MOST_OPERATION_ATTEMPTS / 2;

    const begun = await given({ off: [again], attempt: half }).perform();
    expect(begun).toMatchObject({ kind: 'retry', afterMs: 0, next: registeredAnew(), startsOver: false });
    expect(await given({ off: [again], attempt: half + 1 }).perform()).toEqual({
      kind: 'failed',
      listens: true,
      writes: [],
      problem:
        'An earlier webhook of the trigger "New order" was removed at the service of test, but the trigger was not ' +
        'registered again. If its events do not arrive any more, disable and enable the flow.',
    });
  });

  it('leaves the other one alone when it polls, or is of another service', async () => {
    const elsewhere = live('new');
    const trigger = aFlowVersion([], { trigger: builtInTrigger('other', 'hooked') }).trigger;

    expect(await given({ restore: live('new', 'polled') }).perform()).toEqual({ kind: 'succeeded', writes: [] });
    expect(await given({ restore: { ...elsewhere, trigger } }).perform()).toEqual({ kind: 'succeeded', writes: [] });
  });

  const registeredAnew = () => ({ off: [live('new')], on: live('new'), restore: live('new') });
});

describe('an operation that tests', () => {
  it('has the items for its value, and drops what the test has written', async () => {
    const { perform } = setUp({ kind: 'TESTING', on: live('draft') });

    expect(await perform()).toEqual({ kind: 'succeeded', writes: [], value: [1] });
  });

  it('shows the first few items', async () => {
    const { hooks, perform } = setUp({ kind: 'TESTING', on: live('draft') });
    const value = Array.from({ length: 12 }, (_, i) => i);
    hooks.answers.set('test draft', async () => ({ kind: 'done', value, effects: { writes: [] } }));

    expect(await perform()).toMatchObject({ value: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
  });
});

it('does nothing when somebody else has claimed the operation', async () => {
  const { hooks, runner, settled } = setUp({ on: live('new') });

  await runner.perform('operation_1', 2, new AbortController().signal);

  expect([hooks.calls, settled]).toEqual([[], []]);
});

function rejectedByAbort(signal: AbortSignal): Promise<TriggerHookResult> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

describe('an attempt that ends while the database is away', () => {
  const away = new ServiceUnavailableError('The database is away.');

  it('is settled when the database is back, and calls no hook again', async () => {
    const { hooks, perform, settle } = setUp({ on: live('new') });
    settle.mockRejectedValueOnce(away).mockRejectedValueOnce(away);

    expect(await perform()).toMatchObject({ kind: 'succeeded', writes: written('new') });
    expect(settle).toHaveBeenCalledTimes(3);
    expect(hooks.calls).toEqual(['onEnable new']);
  });

  it('is given up before its claim ends', async () => {
    let now = 0;
    const { perform, settle } = setUp({ on: live('new') }, undefined, () => now);
    settle.mockImplementation(async () => {
      now += OPERATION_CLAIM_MS / 2;
      throw away;
    });

    await expect(perform()).rejects.toBe(away);
    expect(settle).toHaveBeenCalledTimes(2);
  });

  it('is given up when the worker stops', async () => {
    const { perform, settle } = setUp({ on: live('new') });
    const stopping = new AbortController();
    settle.mockImplementation(async () => {
      stopping.abort();
      throw away;
    });

    await expect(perform(stopping.signal)).rejects.toThrow();
    expect(settle).toHaveBeenCalledTimes(1);
  });

  it('is not repeated for another reason', async () => {
    const { perform, settle } = setUp({ on: live('new') });
    settle.mockRejectedValue(new Error('A bug.'));

    await expect(perform()).rejects.toThrow('A bug.');
    expect(settle).toHaveBeenCalledTimes(1);
  });
});
