import type { LiveTrigger, PiecePackage, TriggerHook, TriggerPayload } from '@millrace/domain';
import {
  aFlowVersion,
  anId,
  builtInTrigger,
  HandDrivenClock,
  InMemoryStoreEntries,
  RecordingSlot,
} from '@millrace/domain/testing';
import { TriggerHookHost } from '../host/trigger-hook-host';
import { RecordingFiles } from '../testing/recording-files';
import { RecordingHttp } from '../testing/recording-http';
import { InstalledPieces } from './installed-pieces';
import { PackageCalls, type PackageAnswer, type PackageCall } from './package-calls';

const REF = { name: '@scope/piece-notes', version: '1.2.0' };
const DESCRIPTION = {
  displayName: 'Notes',
  actions: {},
  triggers: {
    called: {
      type: 'WEBHOOK',
      displayName: 'Called',
      requireAuth: false,
      props: { logo: { type: 'FILE', displayName: 'Logo' } },
      handshakeConfiguration: { strategy: 'HEADER_PRESENT', paramName: 'challenge' },
      renewConfiguration: { strategy: 'CRON', cronExpression: '0 * * * *' },
    },
    plain: { type: 'WEBHOOK', displayName: 'Plain', requireAuth: false, props: {} },
    told: { type: 'APP_WEBHOOK', displayName: 'Told', requireAuth: false, props: {} },
  },
};
const PAYLOAD: TriggerPayload = { method: 'POST', headers: {}, queryParams: {}, body: { text: 'a' }, rawBody: '{}' };

class Notes extends PackageCalls {
  readonly calls: PackageCall[] = [];
  act: (call: PackageCall) => Promise<unknown> = async () => null;
  listeners: unknown[] = [];

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    call.begun?.();
    return { value: { result: await this.act(call), listeners: this.listeners }, output: '' };
  }
}

function setUp() {
  const notes = new Notes();
  const files = new RecordingFiles();
  const found = { ...REF, id: 'package_1', description: DESCRIPTION } as PiecePackage;
  const pieces = new InstalledPieces({ find: async () => [found] }, notes);
  const host = new TriggerHookHost(pieces, {
    http: new RecordingHttp(),
    clock: new HandDrivenClock(),
    store: new InMemoryStoreEntries(),
    files,
    newId: anId,
    connections: async () => new Map(),
    secrets: async () => new Map(),
    publicUrl: 'https://millrace.test',
  });
  const slot = new RecordingSlot();
  const input: Record<string, unknown> = {};
  const call = (hook: TriggerHook, payload?: TriggerPayload, name = 'called') => {
    const { trigger } = aFlowVersion([], { trigger: builtInTrigger(REF.name, name) });
    const settings = { ...trigger.settings, pieceVersion: REF.version, input };
    const live = {
      flowId: 'flow_1',
      projectId: 'project_1',
      flowVersionId: 'version_1',
      trigger: { ...trigger, settings },
    };
    const asked = { hook, live: live as LiveTrigger, isRepublish: true, ...(payload && { payload, slot }) };
    return host.call(asked, [], new AbortController().signal);
  };
  return { notes, pieces, files, slot, input, call };
}

describe('a webhook trigger of a package', () => {
  it('is in the catalogue with its hooks, how it is renewed and how its handshakes are known', async () => {
    const { pieces } = setUp();
    await pieces.know([REF]);

    expect(pieces.findTrigger(REF.name, REF.version, 'called')).toMatchObject({
      resultType: 'WEBHOOK',
      hooks: ['onEnable', 'onDisable', 'onRenew', 'run', 'test', 'onHandshake'],
      renewal: { cron: '0 * * * *' },
      handshake: { strategy: 'HEADER_PRESENT', paramName: 'challenge' },
    });
    expect(pieces.findTrigger(REF.name, REF.version, 'plain')).toMatchObject({
      hooks: ['onEnable', 'onDisable', 'run', 'test'],
      renewal: null,
      handshake: null,
    });
  });

  it('registers the URL of its flow, and gives its writes to be stored', async () => {
    const { notes, call } = setUp();
    notes.act = async ({ services }) => {
      await services['store.put']?.('hook', false, { id: 7 });
      await services['store.put']?.('shared', true, 'x');
    };

    expect(await call('onEnable')).toMatchObject({
      kind: 'done',
      effects: {
        writes: [
          { scope: 'FLOW', key: 'hook', value: { id: 7 } },
          { scope: 'PROJECT', key: 'shared', value: 'x' },
        ],
      },
    });
    expect(notes.calls[0]?.request).toMatchObject({
      hook: 'onEnable',
      webhookUrl: 'https://millrace.test/api/v1/webhooks/flow_1',
      isRepublished: true,
      flowVersionId: 'version_1',
    });
  });

  it('renews what it has registered, and gives its writes to be stored', async () => {
    const { notes, call } = setUp();
    notes.act = async ({ services }) => services['store.put']?.('expires', false, 7);

    expect(await call('onRenew')).toMatchObject({
      kind: 'done',
      effects: { writes: [{ scope: 'FLOW', key: 'expires', value: 7 }] },
    });
    expect(notes.calls[0]?.request).toMatchObject({
      hook: 'onRenew',
      webhookUrl: 'https://millrace.test/api/v1/webhooks/flow_1',
    });
  });

  it('makes the items of a request, and leaves the slot of the run meanwhile', async () => {
    const { notes, slot, call } = setUp();
    notes.act = async ({ request }) => [(request['payload'] as TriggerPayload).body, null];

    expect(await call('run', PAYLOAD)).toMatchObject({ kind: 'done', items: ['{"text":"a"}', 'null'] });
    expect(slot.events).toEqual(['left', 'came back']);
  });

  it('writes files for its items, which belong to no run yet', async () => {
    const { notes, files, call } = setUp();
    notes.act = async ({ services }) => {
      await services['files.part']?.(Buffer.from('A picture').toString('base64'));
      return [{ url: await services['files.write']?.('a.txt') }];
    };

    expect(await call('run', PAYLOAD)).toMatchObject({ items: ['{"url":"https://millrace.test/files/1"}'] });
    await call('run', PAYLOAD);

    const [first, again] = files.written;
    expect(first).toMatchObject({
      step: { projectId: 'project_1' },
      file: { name: 'a.txt', content: Buffer.from('A picture') },
    });
    expect(again?.step.id).not.toBe(first?.step.id);
  });

  it.each<[string, unknown, string]>([
    ['that fails', 'no list', 'failed'],
    ['whose items do not have it', [{ url: 'https://elsewhere.test/1' }], 'done'],
  ])('leaves no file of a request %s', async (_what, result, kind) => {
    const { notes, files, call } = setUp();
    notes.act = async ({ services }) => {
      await services['files.write']?.('a.txt');
      return result;
    };

    expect(await call('run', PAYLOAD)).toMatchObject({ kind });
    expect(files.written).toHaveLength(1);
    expect(files.deleted).toEqual(['https://millrace.test/files/1']);
  });

  it('gives the files behind its inputs, but not to the hook that disables the flow', async () => {
    const { notes, call, input } = setUp();
    input['logo'] = 'data:text/plain;base64,aGVsbG8=';
    notes.act = async ({ request, services: { 'files.next': next, 'files.read': read } }) =>
      'files' in request ? [request['files'], await next?.(), await read?.(0)] : null;

    expect(await call('run', PAYLOAD)).toMatchObject({
      items: ['[["logo"]]', '{"filename":"file.txt","extension":"txt","bytes":5}', '"aGVsbG8="'],
    });
    input['logo'] = 'data:nothing';
    expect(await call('onDisable')).toMatchObject({ kind: 'done' });
    expect(notes.calls.at(-1)?.request).toMatchObject({ input: { logo: 'data:nothing' } });
    expect(await call('onEnable')).toMatchObject({
      kind: 'failed',
      message: 'The input logo: A data URL is malformed.',
    });
  });

  it('keeps a file to which a value in the store refers', async () => {
    const { notes, files, call } = setUp();
    notes.act = async ({ services }) => {
      await services['store.put']?.('logo', false, await services['files.write']?.('a.txt'));
    };

    expect(await call('onEnable')).toMatchObject({ kind: 'done' });
    expect(files.deleted).toEqual([]);
  });

  it.each([['no list'], [{ length: 3 }], [Array.from({ length: 1_001 }, () => 1)], [['x'.repeat(11 * 1024 * 1024)]]])(
    'fails with items that are none, too many or too large',
    async (result) => {
      const { notes, call } = setUp();
      notes.act = async () => result;

      expect(await call('run', PAYLOAD)).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(/^The trigger /) as string,
      });
    },
  );

  it('says what helps against too many items of one request', async () => {
    const { notes, call } = setUp();
    notes.act = async () => Array.from({ length: 1_001 }, () => 1);

    expect(await call('run', PAYLOAD)).toEqual({
      kind: 'failed',
      message: 'The trigger made more than 1,000 items of one request. Have the other service send fewer at once.',
    });
  });

  it.each([
    [
      { status: 202, headers: { a: 5 }, body: 'ok' },
      { kind: 'done', value: { status: 202, headers: { a: '5' }, body: 'ok' } },
    ],
    [{ status: 200 }, { kind: 'done', value: { status: 200, headers: {}, body: null } }],
    [{ status: 'ok' }, { kind: 'failed' }],
    [{ status: 99 }, { kind: 'failed' }],
    [null, { kind: 'failed' }],
  ])('answers a handshake with %j', async (result, expected) => {
    const { notes, call } = setUp();
    notes.act = async () => result;

    expect(await call('onHandshake', PAYLOAD)).toMatchObject(expected);
  });
});

describe('a trigger of a package for the events of an app', () => {
  it('has no URL of its own, and so answers no handshakes', async () => {
    const { pieces } = setUp();
    await pieces.know([REF]);

    expect(pieces.findTrigger(REF.name, REF.version, 'told')).toMatchObject({
      ...{ resultType: 'APP_WEBHOOK', handshake: null },
      hooks: ['onEnable', 'onDisable', 'run', 'test'],
    });
  });

  it('says to which events of whom its flow listens', async () => {
    const { notes, call } = setUp();
    notes.listeners = [{ events: ['message', 7], identifierValue: 42, more: true }];

    expect(await call('onEnable', undefined, 'told')).toMatchObject({
      kind: 'done',
      effects: { listeners: [{ events: ['message', '7'], identifierValue: '42' }] },
    });
  });

  it.each([
    ['nothing', []],
    ['no events', [{ events: [], identifierValue: 'T1' }]],
    ['events of nobody', [{ events: ['message'] }]],
    ['events of nobody, as an empty text', [{ events: ['message'], identifierValue: '' }]],
    ['something that is no object', ['message']],
    ['an event of many bytes', [{ events: ['\u4e00'.repeat(200)], identifierValue: 'T1' }]],
    ['a long event', [{ events: ['x'.repeat(501)], identifierValue: 'T1' }]],
  ])('cannot be enabled when it listens to %s', async (_what, listeners) => {
    const { notes, call } = setUp();
    notes.listeners = listeners;

    expect(await call('onEnable', undefined, 'told')).toMatchObject({ kind: 'failed' });
  });

  it('makes the items of an event', async () => {
    const { notes, call } = setUp();
    notes.act = async ({ request }) => [(request['payload'] as TriggerPayload).body];

    expect(await call('run', PAYLOAD, 'told')).toMatchObject({ kind: 'done', items: ['{"text":"a"}'] });
  });
});
