import {
  firstIdAt,
  PieceCatalogue,
  SampleDataWriter,
  ServiceUnavailableError,
  TriggerHooks,
  TriggerRequests,
  type CatalogueTrigger,
  type FlowVersionReader,
  type MadeItems,
  type RunClaim,
  type RunHead,
  type SampleDataEntry,
  type TriggerHookCall,
  type TriggerHookResult,
  type WebhookPayload,
} from '@millrace/domain';
import {
  aFlowVersion,
  builtInTrigger,
  codeStep,
  HandDrivenClock,
  InMemoryRunJournal,
  recordingRunEvents,
  type JournalledRun,
} from '@millrace/domain/testing';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type CodeCall } from '@millrace/engine';
import { Logger } from '@nestjs/common';
import { CompiledFlows } from './compiled-flows';
import { FlowRunner } from './flow-runner';
import { OwnedRuns } from './ownership/owned-runs';
import { TriggerItems } from './requests/trigger-items';

const request = (body: object): WebhookPayload => ({
  request: '{"method":"POST","headers":{},"queryParams":{}}',
  bodyKind: 'json',
  rawBody: Buffer.from(JSON.stringify(body)),
});

class Hooked extends PieceCatalogue {
  hooks: readonly string[] | null = ['run', 'onHandshake'];
  override hasPiece = () => true;
  override findAction = () => null;
  override findTrigger = () =>
    this.hooks &&
    ({ hooks: this.hooks, handshake: { strategy: 'BODY_PARAM_PRESENT', paramName: 'challenge' } } as CatalogueTrigger);
}

/** A hook that gives the `items` of the body, or answers its `challenge`. */
class Asked extends TriggerHooks {
  readonly calls: TriggerHookCall[] = [];
  act: (call: TriggerHookCall, signal: AbortSignal) => Promise<TriggerHookResult> = async ({ hook, payload }) => {
    const { items = [], challenge } = payload?.body as { items?: unknown[]; challenge?: string };
    const effects = { writes: [{ scope: 'FLOW', key: 'seen', value: items.length } as const] };
    if (hook === 'onHandshake') return { kind: 'done', value: { status: 200, body: challenge }, effects };
    return { kind: 'done', value: items, effects, items: items.map((item) => JSON.stringify(item)) };
  };

  override call(call: TriggerHookCall, _pending: unknown, signal: AbortSignal): Promise<TriggerHookResult> {
    this.calls.push(call);
    return this.act(call, signal);
  }
}

/** Keeps what is settled, and changes the run as the real one does. */
class InMemoryRequests extends TriggerRequests {
  readonly settled: MadeItems[] = [];

  constructor(private readonly journal: InMemoryRunJournal) {
    super();
  }

  override async settle(run: RunHead, claim: RunClaim, made: MadeItems): Promise<boolean> {
    if (!(await this.journal.release(claim))) return false;
    this.settled.push({ items: made.items, writes: made.writes });
    const [first] = made.items;
    const row = this.journal.runs.get(run.id);
    if (first === undefined) this.journal.runs.delete(run.id);
    else if (row) row.payload = first;
    return true;
  }
}

class Samples extends SampleDataWriter {
  readonly saved: SampleDataEntry[] = [];
  override async save(_flowId: string, entries: readonly SampleDataEntry[]): Promise<void> {
    this.saved.push(...entries);
  }
}

function setUp() {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const nextAction = codeStep('echo', { got: '{{ trigger }}' });
  const trigger = { ...builtInTrigger('@scope/piece-notes', 'called'), nextAction };
  const version = aFlowVersion([], { trigger });
  const flows = new CompiledFlows({ getVersion: async () => version } as unknown as FlowVersionReader);
  const { events, told } = recordingRunEvents();
  const pieces = new Hooked();
  const hooks = new Asked();
  const requests = new InMemoryRequests(journal);
  const samples = new Samples();
  const triggerItems = new TriggerItems(hooks, pieces, requests, samples, clock);
  const services = { clock, timeoutSeconds: 600, events, triggerItems };
  const owned = new OwnedRuns(journal, services);
  const inputs: string[] = [];
  const codeRunner = {
    run: async ({ input }: CodeCall) => {
      inputs.push(input);
      return { kind: 'value', output: '1', logs: [] } as const;
    },
  };
  const ports = { codeRunner, pieceRunner: null, clock: new SystemRunClock(), limits: DEFAULT_EXECUTION_LIMITS };
  const runner = new FlowRunner(journal, { flows, samples: { load: async () => new Map() } }, owned, ports, services);
  const add = (body: object, more: Partial<JournalledRun> = {}) =>
    journal.add({ id: 'run', payload: request(body), ...more });
  return { clock, journal, owned, hooks, pieces, requests, samples, inputs, runner, told, add, flows, triggerItems };
}

beforeAll(() => Logger.overrideLogger(false));

describe('a run whose trigger makes the items of its request', () => {
  it('begins with the first item, under no claim that counts as its start', async () => {
    const { runner, add, hooks, requests, inputs, samples } = setUp();
    const row = add({ items: ['a', 'b'] });

    expect(await runner.run('run')).toBe('ended');

    expect(hooks.calls).toMatchObject([{ hook: 'run', payload: { method: 'POST', body: { items: ['a', 'b'] } } }]);
    expect(requests.settled).toEqual([{ items: ['"a"', '"b"'], writes: [{ scope: 'FLOW', key: 'seen', value: 2 }] }]);
    expect(inputs).toEqual(['{"got":"a"}']);
    expect(row).toMatchObject({ status: 'SUCCEEDED', workerDeaths: 0 });
    expect(samples.saved).toEqual([]);
  });

  it('asks a trigger no second time for an item', async () => {
    const { runner, add, hooks } = setUp();
    add({}, { payload: '"a"' });

    await runner.run('run');

    expect(hooks.calls).toEqual([]);
  });

  it('does not ask a trigger that has no such hook', async () => {
    const { runner, add, hooks, pieces, inputs, flows, triggerItems } = setUp();
    pieces.hooks = ['onEnable'];
    add({ items: [1] });

    expect(await runner.run('run')).toBe('ended');

    expect(hooks.calls).toEqual([]);
    expect(inputs[0]).toContain('"method":"POST"');
    expect(triggerItems.mayMakeItems(await flows.get('version'))).toBe(false);
  });

  it('fails when the package of its trigger is not installed, and executes no step with the request', async () => {
    const { runner, add, pieces, hooks, inputs } = setUp();
    pieces.hooks = null;
    const row = add({ items: [1] });

    await runner.run('run');

    expect(row.ending).toMatchObject({
      status: 'FAILED',
      failedStep: {
        name: 'trigger',
        message: expect.stringMatching(/^The piece @scope\/piece-notes .* is not installed\.$/),
      },
    });
    expect([hooks.calls, inputs]).toEqual([[], []]);
  });

  it('ends without items, and tells a sender that waits', async () => {
    const { runner, add, journal, inputs, told } = setUp();
    add({ items: [] }, { isAwaited: true });

    expect(await runner.run('run')).toBe('ended');

    expect([journal.runs.size, inputs]).toEqual([0, []]);
    expect(told).toEqual(['answer of run: null']);
  });

  it('answers a handshake, which starts no run', async () => {
    const { runner, add, journal, told, requests } = setUp();
    add({ challenge: 'c-91' }, { isAwaited: true });

    expect(await runner.run('run')).toBe('ended');

    expect(journal.runs.size).toBe(0);
    expect(told).toEqual(['answer of run: c-91']);
    expect(requests.settled).toEqual([{ items: [], writes: [{ scope: 'FLOW', key: 'seen', value: 0 }] }]);
  });

  it('does not ask for the answer to a handshake whose sender has gone long ago', async () => {
    const { runner, add, journal, hooks, clock } = setUp();
    const id = firstIdAt(new Date(clock.now().getTime() - 61_000));
    add({ challenge: 'c-91' }, { id, isAwaited: true });

    expect(await runner.run(id)).toBe('ended');

    expect([journal.runs.size, hooks.calls]).toEqual([0, []]);
  });

  it('fails with what the trigger says', async () => {
    const { runner, add, hooks, inputs } = setUp();
    hooks.act = async () => ({ kind: 'failed', message: 'Not like this.' });
    const row = add({ items: [1] });

    expect(await runner.run('run')).toBe('ended');

    expect(row.ending).toMatchObject({
      status: 'FAILED',
      failedStep: { name: 'trigger', displayName: 'Catch Webhook', message: 'Not like this.' },
    });
    expect(inputs).toEqual([]);
  });

  it('keeps the first item of a draft as its sample', async () => {
    const { runner, add, samples } = setUp();
    add({ items: ['a', 'b'] }, { environment: 'TESTING' });

    await runner.run('run');

    expect(samples.saved).toEqual([{ stepName: 'trigger', type: 'OUTPUT', payload: '"a"', isEvent: true }]);
  });

  it('is free again at once after trouble of ours, and when the worker stops', async () => {
    const { runner, add, hooks, owned, inputs } = setUp();
    const row = add({ items: ['a'] });
    const { act } = hooks;
    hooks.act = () => Promise.reject(new ServiceUnavailableError('The database is away.', 1));
    await expect(runner.run('run')).rejects.toThrow('The database is away.');
    expect([row.leaseUntil, row.workerDeaths]).toEqual([null, 0]);

    hooks.act = (_call, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        owned.interruptAll();
      });
    expect(await runner.run('run')).toBe('reenqueue');
    expect([row.leaseUntil, row.workerDeaths, inputs]).toEqual([null, 0, []]);
    hooks.act = act;
  });

  it('leaves the run when it is cancelled meanwhile', async () => {
    const { runner, add, hooks, owned, journal, inputs } = setUp();
    const row = add({ items: ['a'] });
    hooks.act = (_call, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        journal.cancel(['run']);
        owned.stop(['run']);
      });

    expect(await runner.run('run')).toBe('discarded');

    expect([row.status, inputs]).toEqual(['STOPPED', []]);
  });
});
