import {
  polledItem,
  type FoundItem,
  type LiveTrigger,
  type PiecePackage,
  type PollAnswer,
  type PollQuestion,
  type StorePlace,
  type StoreWrite,
  type TriggerHook,
} from '@millrace/domain';
import { aFlowVersion, anId, builtInTrigger, HandDrivenClock, InMemoryStoreEntries } from '@millrace/domain/testing';
import { PollHost } from '../host/poll-host';
import { TriggerHookHost } from '../host/trigger-hook-host';
import { RecordingFiles } from '../testing/recording-files';
import { RecordingHttp } from '../testing/recording-http';
import { InstalledPieces } from './installed-pieces';
import { PackageCalls, type PackageAnswer, type PackageCall } from './package-calls';

const REF = { name: '@scope/piece-notes', version: '1.2.0' };
const DESCRIPTION = {
  displayName: 'Notes',
  auth: { type: 'SECRET_TEXT', displayName: 'Key', required: true },
  actions: {},
  triggers: {
    added: { type: 'POLLING', displayName: 'Added', props: { limit: { type: 'NUMBER', displayName: 'Limit' } } },
    told: { type: 'MANUAL', displayName: 'Told', props: {} },
  },
};

const FLOW = { flowId: 'flow_1', projectId: 'project_1' };
const INPUT = { auth: '{{connections.notes}}', limit: '5' };

/** A package whose poll gives the notes since the last one, as its store says. */
class Notes extends PackageCalls {
  readonly calls: PackageCall[] = [];
  notes: unknown[] = [];
  failure: string | null = null;
  isOversized = false;
  schedule: object | undefined;
  takenBack: unknown;

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    call.begun?.();
    if (this.failure !== null)
      return { failure: this.failure, output: '', ...(this.isOversized && { isOversized: true }) };
    const { services, request } = call;
    if (request['hook'] === 'test') return { value: { result: this.notes }, output: '' };
    const last = (await services['store.get']?.('last', false)) as number | null;
    if (request['hook'] === 'onDisable') this.takenBack = last;
    else await services['store.put']?.('last', false, this.notes.length);
    await services['store.put']?.('hooks', true, request['hook']);
    const found = request['hook'] === 'run' ? await this.written(call, this.notes.slice(last ?? 0)) : null;
    return { value: { result: found, schedule: this.schedule }, output: '' };
  }

  /** The notes, with a link in place of each that is a file. */
  private async written({ services }: PackageCall, notes: readonly unknown[]): Promise<unknown[]> {
    const items: unknown[] = [];
    for (const note of notes) {
      if (Buffer.isBuffer(note)) await services['files.part']?.(note.toString('base64'));
      items.push(Buffer.isBuffer(note) ? { url: await services['files.write']?.('note.txt') } : note);
    }
    return items;
  }
}

function setUp() {
  const calls = new Notes();
  const pieces = new InstalledPieces(
    { find: async () => [{ ...REF, id: 'package_1', description: DESCRIPTION } as PiecePackage] },
    calls,
  );
  const clock = new HandDrivenClock();
  const files = new RecordingFiles();
  const store = new InMemoryStoreEntries();
  const services = {
    ...{ http: new RecordingHttp(), clock, store, files, publicUrl: 'https://millrace.test' },
    newId: anId,
    connections: async () => new Map([['notes', 's3cret-key']]),
    secrets: async () => new Map(),
  };
  const polls = new PollHost(pieces, services);
  const hooks = new TriggerHookHost(pieces, services);
  const triggerOf = (input: object) => {
    const { trigger } = aFlowVersion([], { trigger: builtInTrigger(REF.name, 'added') });
    return { ...trigger, settings: { ...trigger.settings, pieceVersion: REF.version, input } };
  };
  const placeOf = (scope: StorePlace['scope'], key: string): StorePlace => ({
    ...FLOW,
    ...{ scope, scopeId: scope === 'FLOW' ? FLOW.flowId : FLOW.projectId, key },
  });
  const commit = async (writes: readonly StoreWrite[] = []): Promise<void> => {
    for (const { scope, key, value } of writes) await store.change(placeOf(scope, key), null, () => value);
  };
  const told: string[] = [];
  let last: PollQuestion['last'] = { source: null, store: {} };
  const poll = async (input: object = INPUT): Promise<PollAnswer> => {
    const question = { ...FLOW, trigger: triggerOf(input), last };
    const answer = await polls.ask(question as PollQuestion, new AbortController().signal, (work) => {
      told.push('waits');
      return work(() => told.push('begins')).finally(() => told.push('ends'));
    });
    if (answer.kind !== 'found') return answer;
    last = { source: answer.source, store: answer.store };
    await commit(answer.writes);
    return answer;
  };
  const call = async (hook: TriggerHook, input: object = INPUT) => {
    const live = { ...FLOW, flowVersionId: 'version_1', trigger: triggerOf(input) } as LiveTrigger;
    const result = await hooks.call({ hook, live }, [], new AbortController().signal);
    if (result.kind === 'done' && hook !== 'test') await commit(result.effects.writes);
    return result;
  };
  /** Keeps all that the package stored as polls once kept it: in the memory of the poll. */
  const remember = async (values: Record<string, unknown>): Promise<void> => {
    last = { ...last, store: values };
    await commit([
      { scope: 'FLOW', key: 'last', value: null },
      { scope: 'PROJECT', key: 'hooks', value: null },
    ]);
  };
  const stored = (scope: StorePlace['scope'], key: string) => store.get(placeOf(scope, key));
  const remembered = () => last.store;
  /** Says when the schedule of the trigger wants the next poll. */
  const isDueAt = (dueAt: number): void => void (last = { ...last, dueAt });
  return { calls, pieces, files, poll, call, clock, isDueAt, remember, remembered, stored, told };
}

const itemsOf = (answer: PollAnswer) => (answer.kind === 'found' ? answer.items : answer);

describe('a trigger of a package that polls', () => {
  it('reads other connections of the project, which messages do not have', async () => {
    const { calls, poll } = setUp();
    await poll();
    const read = await calls.calls[0]?.services['connection']?.('notes');
    calls.failure = 'Not with s3cret-key.';

    expect(read).toEqual({ type: 'SECRET_TEXT', secret_text: 's3cret-key' });
    expect(await calls.calls[0]?.services['connection']?.('none')).toBeNull();
    expect(await poll()).toEqual({ kind: 'failed', message: 'Not with **REDACTED**.' });
  });

  it('prepares itself at its first poll when nothing says that it was enabled, and then gives what is new', async () => {
    const { calls, poll } = setUp();
    calls.notes = ['old'];

    expect(itemsOf(await poll())).toEqual([]);
    calls.notes.push({ text: 'new' }, { text: 'newer', _dedupe_key: 'n2' });

    expect(itemsOf(await poll())).toEqual([
      { value: { text: 'new' } },
      { name: 'n2', value: { text: 'newer', _dedupe_key: 'n2' } },
    ]);
    expect(itemsOf(await poll())).toEqual([]);
    expect(calls.calls.map(({ request }) => request['hook'])).toEqual(['onEnable', 'run', 'run']);
    expect(calls.calls[1]).toMatchObject({
      piece: REF,
      projectId: 'project_1',
      request: { trigger: 'added', input: { limit: 5 }, auth: { type: 'SECRET_TEXT', secret_text: 's3cret-key' } },
    });
  });

  it('writes files for its items, which belong to no run yet', async () => {
    const { calls, poll, files } = setUp();
    await poll();
    calls.notes = [Buffer.from('A picture')];

    const answer = await poll();

    expect(itemsOf(answer)).toMatchObject([{ value: { url: 'https://millrace.test/files/1' } }]);
    if (answer.kind === 'found') await answer.deleteFilesUnless?.(['A text with https://millrace.test/files/1.']);
    expect(files.deleted).toEqual([]);
    if (answer.kind === 'found') await answer.deleteFilesUnless?.(['A text without.']);
    expect(files.deleted).toEqual(['https://millrace.test/files/1']);
    expect(files.written).toMatchObject([
      { step: { projectId: 'project_1' }, file: { name: 'note.txt', content: Buffer.from('A picture') } },
    ]);
  });

  it('starts no second run for an item with the same file, to which each poll has another link', async () => {
    const { calls, poll } = setUp();
    await poll();
    const keysOf = async (...notes: unknown[]) => {
      calls.notes = [...calls.notes, ...notes];
      const found = itemsOf(await poll()) as FoundItem[];
      return found.map((item) => polledItem(item).key);
    };

    const [first] = await keysOf(Buffer.from('A picture'));
    const [again, other] = await keysOf(Buffer.from('A picture'), Buffer.from('Another picture'));

    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('leaves no file of a poll that fails', async () => {
    const { calls, poll, files } = setUp();
    await poll();
    calls.notes = [Buffer.from('A picture')];
    calls.schedule = { cronExpression: 'never', timezone: 'UTC' };

    expect(await poll()).toMatchObject({ kind: 'failed' });
    expect(files.written).toHaveLength(1);
    expect(files.deleted).toEqual(['https://millrace.test/files/1']);
  });

  it('says when its turn has come to be asked', async () => {
    const { poll, told } = setUp();
    await poll();
    await poll();

    expect(told).toEqual(['waits', 'begins', 'ends', 'waits', 'begins', 'ends']);
  });

  it('prepares itself when its flow is enabled, and from then on gives what is new', async () => {
    const { calls, call, poll, remembered } = setUp();
    calls.notes = ['old'];
    await call('onEnable');
    calls.notes.push('new');

    expect(itemsOf(await poll())).toEqual([]);
    expect(itemsOf(await poll())).toEqual([{ value: 'new' }]);
    expect(calls.calls.map(({ request }) => request['hook'])).toEqual(['onEnable', 'run']);
    expect(Object.keys(remembered())).toEqual(['millrace:prepared']);
  });

  it('begins with what it prepared when its flow was enabled again', async () => {
    const { calls, call, poll } = setUp();
    await call('onEnable');
    await poll();
    calls.notes = ['a', 'b'];
    await call('onEnable');
    calls.notes.push('c');

    expect(itemsOf(await poll())).toEqual([{ value: 'c' }]);
  });

  it("has the store that the flow's actions see, also when its flow is disabled", async () => {
    const { calls, call, poll, stored } = setUp();
    await call('onEnable');
    await poll();
    calls.notes = ['a', 'b'];
    await poll();

    expect([await stored('FLOW', 'last'), await stored('PROJECT', 'hooks')]).toEqual([2, 'run']);
    await call('onDisable');
    expect(calls.takenBack).toBe(2);
    expect(await stored('PROJECT', 'hooks')).toBe('onDisable');
  });

  it('still finds what polls remembered before, until it stores it anew', async () => {
    const { calls, poll, remember, remembered, stored } = setUp();
    await poll();
    await remember({ 'millrace:prepared': true, last: 2, 'project token': 't' });
    calls.notes = ['a', 'b', 'c'];

    expect(itemsOf(await poll())).toEqual([{ value: 'c' }]);
    expect(await stored('FLOW', 'last')).toBe(3);
    expect(remembered()).toEqual({ 'millrace:prepared': true, 'project token': 't' });
    expect(await calls.calls.at(-1)?.services['store.get']?.('token', true)).toBe('t');
  });

  it('is polled by the schedule that it set when its flow was enabled, which must be one that can be', async () => {
    const { calls, call, poll } = setUp();
    calls.schedule = { intervalMs: 90_000 };
    await call('onEnable');

    expect(await poll()).toMatchObject({ kind: 'found', schedule: { intervalMs: 90_000 } });

    calls.schedule = { intervalMs: -1 };
    expect(await call('onEnable')).toMatchObject({ kind: 'failed', message: expect.stringContaining('a schedule') });
  });

  it('prepares itself again for another source', async () => {
    const { calls, poll } = setUp();
    await poll();

    await poll({ auth: '{{connections.notes}}', limit: 6 });

    expect(calls.calls.map(({ request }) => request['hook'])).toEqual(['onEnable', 'onEnable']);
  });

  it('fails with what the package throws, without the value of its connection', async () => {
    const { calls, poll } = setUp();
    calls.failure = 'The key s3cret-key is wrong.';

    expect(await poll()).toEqual({ kind: 'failed', message: 'The key **REDACTED** is wrong.' });
  });

  it('says what helps against an answer that is larger than a message may be', async () => {
    const { calls, poll } = setUp();
    await poll();
    calls.failure = 'The answer is too large. A message is longer than 16 MB.';
    calls.isOversized = true;

    expect(await poll()).toEqual({
      kind: 'failed',
      message:
        'The trigger found too much at once. The answer is too large. A message is longer than 16 MB. ' +
        'Change its inputs so that it finds fewer: it then starts runs for what is new from that moment.',
    });
  });

  it('gives up to 10,000 items at once, and says what helps against more', async () => {
    const { calls, poll } = setUp();
    await poll();
    calls.notes = Array.from({ length: 10_000 }, (_, at) => at);

    expect(itemsOf(await poll())).toHaveLength(10_000);

    calls.notes.push(...Array.from({ length: 10_001 }, (_, at) => at));
    expect(await poll()).toEqual({
      kind: 'failed',
      message:
        'The trigger found more than 10,000 items at once. ' +
        'Change its inputs so that it finds fewer: it then starts runs for what is new from that moment.',
    });
  });

  it.each([
    [
      { cronExpression: '0 9 * * *', timezone: 'Europe/Berlin' },
      { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
    ],
    [{ intervalMs: 90_000 }, { intervalMs: 90_000 }],
  ])('is polled by the schedule %j, for which it has asked', async (schedule, expected) => {
    const { calls, poll, clock, isDueAt } = setUp();
    calls.schedule = schedule;

    expect(await poll()).toMatchObject({ kind: 'found', schedule: expected });

    isDueAt(clock.now().getTime() + 60_000);
    expect(await poll()).toEqual({ kind: 'early', untilMs: 60_000 });
    expect(await poll({ auth: '{{connections.notes}}', limit: '6' })).toMatchObject({ kind: 'found' });
    expect(calls.calls.map(({ request }) => request['hook'])).toEqual(['onEnable', 'onEnable']);
  });

  it.each([[{ cronExpression: 'now and then', timezone: 'UTC' }], [{ intervalMs: -1 }], [{}], ['daily']])(
    'fails with the schedule %j',
    async (schedule) => {
      const { calls, poll } = setUp();
      calls.schedule = schedule as object;

      expect(await poll()).toMatchObject({ kind: 'failed', message: expect.stringContaining('a schedule') as string });
    },
  );

  it('is not asked without its connection', async () => {
    const { calls, poll } = setUp();

    expect(await poll({ limit: 5 })).toMatchObject({
      kind: 'failed',
      message: 'The connection "Key" (auth) is required.',
    });
    expect(calls.calls).toEqual([]);
  });

  it('is in the catalogue with its hooks, and one of another kind says that it cannot be had', async () => {
    const { pieces } = setUp();
    await pieces.know([REF]);

    expect(pieces.findTrigger(REF.name, REF.version, 'added')).toMatchObject({
      resultType: 'POLLING',
      hooks: ['onEnable', 'onDisable', 'test'],
      requiredInputs: ['auth'],
    });
    expect(pieces.findTrigger(REF.name, REF.version, 'told')?.inputProblems({ auth: '{{connections.notes}}' })).toEqual(
      ['Told is started by hand, which only triggers of built-in pieces can be.'],
    );
  });
});
