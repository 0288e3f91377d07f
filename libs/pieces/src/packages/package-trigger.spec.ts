import type { PiecePackage, PollAnswer, PollQuestion } from '@millrace/domain';
import { aFlowVersion, builtInTrigger, HandDrivenClock } from '@millrace/domain/testing';
import { PollHost } from '../host/poll-host';
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

/** A package whose poll gives the notes since the last one, as its store says. */
class Notes extends PackageCalls {
  readonly calls: PackageCall[] = [];
  notes: unknown[] = [];
  failure: string | null = null;
  schedule: object | undefined;

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    call.begun?.();
    if (this.failure !== null) return { failure: this.failure, output: '' };
    const { services, request } = call;
    if (request['hook'] === 'test') return { value: { result: this.notes }, output: '' };
    const last = (await services['store.get']?.('last', false)) as number | null;
    await services['store.put']?.('last', false, this.notes.length);
    const found = request['hook'] === 'run' ? this.notes.slice(last ?? 0) : null;
    return { value: { result: found, schedule: this.schedule }, output: '' };
  }
}

function setUp() {
  const calls = new Notes();
  const pieces = new InstalledPieces(
    { find: async () => [{ ...REF, id: 'package_1', description: DESCRIPTION } as PiecePackage] },
    calls,
  );
  const clock = new HandDrivenClock();
  const host = new PollHost(pieces, {
    http: new RecordingHttp(),
    clock,
    connections: async () => new Map([['notes', 's3cret-key']]),
    secrets: async () => new Map(),
  });
  const told: string[] = [];
  let last: PollQuestion['last'] = { source: null, store: {} };
  const poll = async (input: object = { auth: '{{connections.notes}}', limit: '5' }): Promise<PollAnswer> => {
    const { trigger } = aFlowVersion([], { trigger: builtInTrigger(REF.name, 'added') });
    const settings = { ...trigger.settings, pieceVersion: REF.version, input };
    const question = { flowId: 'flow_1', projectId: 'project_1', trigger: { ...trigger, settings }, last };
    const answer = await host.ask(question as PollQuestion, new AbortController().signal, (work) => {
      told.push('waits');
      return work(() => told.push('begins')).finally(() => told.push('ends'));
    });
    if (answer.kind === 'found') last = { source: answer.source, store: answer.store };
    return answer;
  };
  /** Says when the schedule of the trigger wants the next poll. */
  const isDueAt = (dueAt: number): void => void (last = { ...last, dueAt });
  return { calls, pieces, poll, clock, isDueAt, told };
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

  it('prepares itself at its first poll, and then gives what is new', async () => {
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

  it('says when its turn has come to be asked', async () => {
    const { poll, told } = setUp();
    await poll();
    await poll();

    expect(told).toEqual(['waits', 'begins', 'ends', 'waits', 'begins', 'ends']);
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
